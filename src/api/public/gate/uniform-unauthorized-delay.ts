import { setTimeout as sleep } from 'node:timers/promises';
import type { BodyWatcher } from '../../transport/raw-body.js';

/** After the body has been read: longer than any check takes, the signature over 5 MB (3 ms) included. */
const AFTER_BODY_MS = 10;
/** After the head, or the last of the body that came, where no more of it comes (D-7). */
const WITHOUT_BODY_MS = 1_000;
/** Within so long of each other requests share one timer; they then leave by so much too early. */
const SHARED_MS = 0.5;

/**
 * A moment that many wait for. They go on in the order in which they asked for it, not in that in which they came to
 * wait: the dearer a check, the later its answer would leave.
 */
class Moment {
  private asked = 0;
  private hasCome = false;
  private readonly waiting: { readonly turn: number; readonly goOn: () => void }[] = [];

  constructor(ms: number) {
    setTimeout(() => this.come(), ms).unref();
  }

  /** Takes a turn; what it answers waits for it. Most never do: until then nothing is kept of them. */
  ask(): () => Promise<void> {
    const turn = this.asked++;
    return () => (this.hasCome ? Promise.resolve() : new Promise((goOn) => void this.waiting.push({ turn, goOn })));
  }

  private come(): void {
    this.hasCome = true;
    this.waiting.sort((a, b) => a.turn - b.turn);
    for (const { goOn } of this.waiting.splice(0)) goOn();
  }
}

/** Moments that are a fixed time away, each shared by all who ask for it within half a millisecond. */
const momentsAfter = (ms: number): (() => () => Promise<void>) => {
  let askedAt = -Infinity;
  let moment: Moment;
  return () => {
    const now = performance.now();
    if (now - askedAt > SHARED_MS) {
      askedAt = now;
      moment = new Moment(ms);
    }
    return moment.ask();
  };
};

const afterBody = momentsAfter(AFTER_BODY_MS);
const withoutBody = momentsAfter(WITHOUT_BODY_MS);

/**
 * The moment at which a request will get its 401, should it come to that: a fixed time after its body has been read, or
 * has not come for a second (D-7). What the checks take differs by microseconds from cause to cause, which is enough to
 * tell causes apart (bench -- unauthorized-timing); so the clocks are set before any of them, when head and body are
 * there, and the answer leaves when it is due, not when they are done.
 */
export class UnauthorizedTime implements BodyWatcher {
  private readonly firstSecond = withoutBody();
  private movedAt = -Infinity;
  private standstill: Promise<null> | undefined;
  private afterBody: (() => Promise<void>) | undefined;

  bodyMoves(): void {
    this.movedAt = performance.now();
  }

  bodyIsRead(): void {
    this.afterBody ??= afterBody();
  }

  /** The body, or null where none of it has come for a second: then nobody can say any more who has signed it. */
  async comes<Body>(body: Promise<Body>): Promise<Body | null> {
    return Promise.race([body, (this.standstill ??= this.untilStandstill())]);
  }

  /** Waits for the moment. @param body settles after {@link bodyIsRead} */
  async isDue(body: Promise<unknown>): Promise<void> {
    if (!this.afterBody) await this.comes(body);
    await this.afterBody?.();
  }

  private async untilStandstill(): Promise<null> {
    await this.firstSecond();
    const left = () => this.movedAt + WITHOUT_BODY_MS - performance.now();
    for (let ms = left(); ms > 0 && !this.afterBody; ms = left()) await sleep(ms, undefined, { ref: false });
    this.afterBody ??= afterBody(); // as if it had been read: from here on the checks take what they take
    return null;
  }
}
