import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.js';
import type { SendContext, SendInDoubt, Step, StepOutcome } from '../../platforms/publisher.js';
import type { Leases } from '../../postgres/leases.js';
import type { ChannelMessages } from '../../projections/posts/channel-messages.queries.js';
import type { Pacing } from './pacing.js';
import type { Rooms } from './rooms.js';
import type { Work } from './work.js';

/** What looking into doubts takes. */
export interface DoubtsDependencies {
  readonly messages: ChannelMessages;
  readonly leases: Leases;
  readonly rooms: Rooms;
  readonly pacing: Pacing;
  readonly clock: Clock;
}

/** A look is a call like any other to the network, and nothing of it can be seen. */
const LOOK = { visible: false };

/** What is found out about a send in doubt. */
export type Verdict =
  | { readonly kind: 'sent'; readonly outcome: Extract<StepOutcome, { kind: 'done' }> }
  /** Surely not: it may be sent again. */
  | { readonly kind: 'not_sent' }
  /** Nobody can say. */
  | { readonly kind: 'unresolved' }
  /** This process ends, or has lost the channel: whoever takes the attempt over finds out. */
  | { readonly kind: 'left' };

/** When the network is asked, ms after the doubt came up: at once, and then ever more seldom. */
const ASK_AT_MS = [0, 2_000, 5_000, 15_000, 45_000];
/** A network may still be at work on a call that broke off: that it has nothing is believed only after so long, ms. */
const SETTLED_AFTER_MS = 5_000;
/** Pauses before each repetition with the same key, ms. */
const REPEAT_AFTER_MS = [1_000, 4_000, 15_000];

/**
 * Resolves a send of which nobody knows whether readers see it (D-25): by a look at what the network shows, else by
 * sending it again with the same key where the network knows keys (D-41: the key alone is the second choice). The
 * attempt stays open and the channel held meanwhile, so that no later post overtakes this one; all of it together takes
 * some minutes at most.
 */
export class Doubts {
  constructor(private readonly on: DoubtsDependencies) {}

  /** @param mayRepeat whether the post may still go to this channel, asked before each repetition */
  async resolve(work: Work, step: Step, context: SendContext, mayRepeat: () => Promise<boolean>): Promise<Verdict> {
    const looked = work.publisher.lookUp ? await this.look(work, step, context) : null;
    return looked ?? (await this.repeat(work, step, context, mayRepeat));
  }

  /** Null: the network does not say. */
  private async look(work: Work, step: Step, context: SendContext): Promise<Verdict | null> {
    const { publisher, loaded } = work;
    const began = performance.now();
    for (const askAt of ASK_AT_MS) {
      if (!(await this.stillOurs(work, began + askAt - performance.now()))) return { kind: 'left' };
      const before = await this.on.messages.inChatOf(work.row.channel_id, loaded.position);
      if (before === null) continue; // what was published there before is not known yet
      for (const id of loaded.state.messageIds) before.add(id);
      const send: SendInDoubt = { since: loaded.state.startedAt, before };
      if (!(await this.comesItsTurn(work, LOOK, context))) return { kind: 'left' };
      const isSettled = performance.now() >= began + SETTLED_AFTER_MS;
      const answer = await publisher.lookUp!(step, context, send);
      if (answer.kind === 'sent') return answer;
      if (answer.kind === 'not_sent' && isSettled) return answer;
      if (answer.kind === 'unknown') return null;
    }
    return null;
  }

  /** Once in doubt, only a network that says it has the post ends the doubt: a refusal may be of the repetition alone. */
  private async repeat(
    work: Work,
    step: Step,
    context: SendContext,
    mayRepeat: () => Promise<boolean>,
  ): Promise<Verdict> {
    const { keyLifetimeMs = 0 } = work.publisher;
    for (const pause of REPEAT_AFTER_MS) {
      const isKnown = this.on.clock.now() + pause < work.loaded.state.startedAt + keyLifetimeMs;
      if (!isKnown) break;
      if (!(await this.stillOurs(work, pause))) return { kind: 'left' };
      if (!(await this.comesItsTurn(work, step, context))) return { kind: 'left' };
      if (!(await mayRepeat())) break;
      const outcome = await work.publisher.send(step, context);
      if (outcome.kind === 'done') return { kind: 'sent', outcome };
    }
    return { kind: 'unresolved' };
  }

  /** Waits; false where this process must let go of the channel. */
  private async stillOurs({ worker, ending, publisher }: Work, ms: number): Promise<boolean> {
    const wait = (): Promise<void> => sleep(ms, undefined, { signal: ending.stop }).catch(() => undefined);
    if (ms > 0) await this.on.rooms.outside(publisher.platform, wait());
    return !ending.stop.aborted && this.on.leases.isValid(worker);
  }

  /** Waits for the network's pace: what breaks many calls off at once would have them all looked into at once. */
  private async comesItsTurn(work: Work, call: Pick<Step, 'visible'>, { credentials }: SendContext): Promise<boolean> {
    await this.on.pacing.turn(work, call, credentials);
    return this.stillOurs(work, 0);
  }
}
