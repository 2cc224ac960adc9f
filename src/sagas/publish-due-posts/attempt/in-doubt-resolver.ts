import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../kernel/clock.js';
import type { LookUp, SendContext, SendInDoubt, Step, StepOutcome } from '../../../platforms/publisher.js';
import type { Leases } from '../../../postgres/leases.js';
import type { ChannelMessages } from '../../../projections/posts/channel-messages.queries.js';
import type { Pacing } from './pacing.js';
import type { Rooms } from '../claiming/platform-concurrency.js';
import type { Work } from './publication-attempt.js';

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

/**
 * When a doubt is gone into, ms after it came up: at once, and then ever more seldom. Together as long as the attempts of a
 * post that surely does not get through (D-20): a network that is away for some minutes leaves no doubt behind.
 */
const MOMENTS_MS = [0, 2_000, 5_000, 15_000, 45_000, 120_000, 300_000];
/** A network may still be at work on a call that broke off: that it has nothing is believed only after so long, ms. */
const SETTLED_AFTER_MS = 5_000;
/** A look is the better answer (D-41): where one can be had, the key is not used before so long, ms. */
const KEY_AFTER_MS = 45_000;
/** Refused so often with its key, the post will be refused at every moment. */
const MAX_REFUSALS = 3;

/**
 * Resolves a send of which nobody knows whether readers see it (D-25): by a look at what the network shows, else by
 * sending it again with the same key where the network knows keys (D-41: the key alone is the second choice). The
 * attempt stays open and the channel held meanwhile, so that no later post overtakes this one; all of it together takes
 * five minutes at most.
 */
export class Doubts {
  constructor(private readonly on: DoubtsDependencies) {}

  /** @param mayRepeat whether the post may still go to this channel, asked before each repetition */
  async resolve(work: Work, step: Step, context: SendContext, mayRepeat: () => Promise<boolean>): Promise<Verdict> {
    const began = performance.now();
    let canLook = work.publisher.lookUp !== undefined;
    let refusals = 0;
    for (const moment of MOMENTS_MS) {
      if (!canLook && (refusals === MAX_REFUSALS || !this.knowsKey(work, began + moment))) break;
      if (!(await this.stillOurs(work, began + moment - performance.now()))) return { kind: 'left' };
      if (canLook) {
        const found = await this.look(work, step, context, began);
        if (found.kind === 'unknown') canLook = false;
        else if (found.kind !== 'unanswered') return found;
      }
      const isTurnOfKey = moment > 0 && (!canLook || moment >= KEY_AFTER_MS);
      if (!isTurnOfKey || refusals === MAX_REFUSALS || !this.knowsKey(work, performance.now())) continue;
      const repeated = await this.repeat(work, step, context, mayRepeat);
      if (repeated === 'refused') refusals += 1;
      else if (repeated !== 'unanswered') return repeated;
    }
    return { kind: 'unresolved' };
  }

  private async look(
    work: Work,
    step: Step,
    context: SendContext,
    began: number,
  ): Promise<LookUp | { readonly kind: 'left' }> {
    const { publisher, loaded } = work;
    const before = await this.on.messages.inChatOf(work.row.channel_id, loaded.position);
    if (before === null) return { kind: 'unanswered' }; // what was published there before is not known yet
    for (const id of loaded.state.messageIds) before.add(id);
    const send: SendInDoubt = { since: loaded.state.startedAt, before };
    if (!(await this.comesItsTurn(work, LOOK, context))) return { kind: 'left' };
    const isSettled = performance.now() >= began + SETTLED_AFTER_MS;
    const answer = await publisher.lookUp!(step, context, send);
    return answer.kind === 'not_sent' && !isSettled ? { kind: 'unanswered' } : answer;
  }

  /** Whether the network still takes the attempt's key at a moment (`performance.now()`). */
  private knowsKey({ publisher, loaded }: Work, moment: number): boolean {
    const at = this.on.clock.now() + moment - performance.now();
    return at < loaded.state.startedAt + (publisher.keyLifetimeMs ?? 0);
  }

  /**
   * Sends it again. Once in doubt, only a network that says it has the post ends the doubt: a refusal may be of the
   * repetition alone. While the channel takes no posts nothing is repeated: a pause may end in time.
   */
  private async repeat(
    work: Work,
    step: Step,
    context: SendContext,
    mayRepeat: () => Promise<boolean>,
  ): Promise<Extract<Verdict, { kind: 'sent' | 'left' }> | 'unanswered' | 'refused'> {
    if (!(await this.comesItsTurn(work, step, context))) return { kind: 'left' };
    if (!(await mayRepeat())) return 'unanswered';
    const outcome = await work.publisher.send(step, context);
    if (outcome.kind === 'done') return { kind: 'sent', outcome };
    return outcome.kind === 'in_doubt' || outcome.kind === 'retry' ? 'unanswered' : 'refused';
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
