import { publication as decider } from '../../../domain/publication/publication.decider.js';
import type { AggregateStore } from '../../../event-store/aggregate-store.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Instant } from '../../../kernel/instant.js';
import type { Log } from '../../../kernel/log.js';
import { detailOf } from '../../../kernel/reason.js';
import type { LookUpResult, SendContext, SendInDoubt, Step } from '../../../platforms/publisher.js';
import type { Leases } from '../../../postgres/leases.js';
import type { ChannelMessages } from '../../../projections/posts/channel-messages.queries.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';
import type { GroupConcurrency } from '../../engine/group-concurrency.js';
import type { ChannelStates } from '../inputs/channel-states.js';
import type { LoadedPublication, Resolution } from './attempt-state.js';
import type { Pacing } from './pacing.js';
import type { PublicationAttempt } from './publication-attempt.js';

/** Dependencies of {@link InDoubtResolver}. */
export interface InDoubtResolverDependencies {
  readonly aggregates: AggregateStore;
  readonly messages: ChannelMessages;
  readonly leases: Leases;
  readonly concurrency: GroupConcurrency;
  readonly pacing: Pacing;
  readonly clock: Clock;
  readonly log: Log;
}

/** A send whose outcome is unknown. */
interface UnconfirmedSend {
  readonly attempt: PublicationAttempt;
  readonly publication: LoadedPublication;
  readonly step: Step;
  readonly context: SendContext;
  /** Start of the attempt by the present system clock; late by at most `toleranceMs`. */
  readonly since: () => Instant;
  readonly toleranceMs: number;
}

/** Time in ms by which another machine's clock may have been ahead when it started an attempt (ADR-103). */
const CLOCK_TOLERANCE_MS = 2 * 3_600_000;
/** Difference in ms between the clocks of machines that are set by NTP. */
const CLOCK_DIFFERENCE_MS = 5_000;

/** A look-up counts towards the rate limits as a call that readers do not see. */
const LOOK_UP_CALL = { visible: false };

const ABANDONED = { kind: 'abandoned' } as const;

/**
 * Delays of the tries after the send came into doubt, in ms. Together they last as long as the attempts of a post that
 * does not get through (D-20): a network that is away for some minutes leaves nothing in doubt.
 */
const TRY_AFTER_MS = [0, 2_000, 5_000, 15_000, 45_000, 120_000, 300_000];
/** Time in ms that a network may still process a call that broke off. An earlier "not sent" is not believed. */
const SETTLED_AFTER_MS = 5_000;
/** Time in ms within which a process that has lost its session registers again. */
const RETURN_MS = 1_000;
/** Interval in ms at which the answer of a process that has registered again is looked for. */
const LOOK_MS = 1_000;
/** Longest wait for that answer, in ms: longer than any call but the slowest uploads. The process may have given it up. */
const LONGEST_CALL_MS = 120_000;
/** Time in ms before the key is used where a look-up is possible: the look-up is the better answer (D-41). */
const KEY_AFTER_MS = 45_000;
/** Refusals of the repetition after which it is not tried again: the network would always refuse it. */
const MAX_REFUSALS = 3;

/**
 * Resolves a send of which it is unknown whether readers see it (D-25): by a look-up of what the network shows, otherwise
 * by a repetition with the same key where the network knows keys (D-41: the key alone is the second choice). The attempt
 * stays open and the channel held meanwhile, so that no later post overtakes this one. It takes five minutes at most.
 */
export class InDoubtResolver {
  constructor(
    private readonly deps: InDoubtResolverDependencies,
    private readonly channels: ChannelStates,
  ) {}

  async resolve(
    attempt: PublicationAttempt,
    publication: LoadedPublication,
    step: Step,
    context: SendContext,
    isOrphaned: boolean,
  ): Promise<Resolution> {
    const { startedAt } = publication.state;
    const send: UnconfirmedSend = {
      ...{ attempt, publication, step, context },
      // The clock may have been set since this process started the attempt: the step is added to the start.
      since: isOrphaned ? () => startedAt : () => startedAt + this.clockLead() - attempt.clockLead,
      toleranceMs: isOrphaned ? CLOCK_TOLERANCE_MS : 0,
    };
    if (isOrphaned && !(await this.waitForSender(attempt, publication))) return ABANDONED;
    const began = performance.now();
    let canLookUp = attempt.publisher.lookUp !== undefined;
    let refusals = 0;
    for (const delay of TRY_AFTER_MS) {
      if (!canLookUp && (refusals === MAX_REFUSALS || !this.acceptsKey(send, began + delay))) break;
      if (!(await this.waitAndKeepLease(attempt, began + delay - performance.now()))) return ABANDONED;
      if (canLookUp) {
        const found = await this.lookUp(send, began);
        if (found.kind === 'unknown') canLookUp = false;
        else if (found.kind !== 'unanswered') return found;
      }
      const mayUseKey = delay > 0 && (!canLookUp || delay >= KEY_AFTER_MS);
      if (!mayUseKey || refusals === MAX_REFUSALS || !this.acceptsKey(send, performance.now())) continue;
      const repeated = await this.repeat(send);
      if (repeated === 'refused') refusals += 1;
      else if (repeated !== 'unanswered') return repeated;
    }
    return { kind: 'unresolved' };
  }

  /**
   * Waits while the process that made the call is alive: it has lost its leases with its session, and records the network's answer
   * once it has it. Until then the network may not show the post.
   * @returns false if it has, or if this process must let go of the channel
   */
  private async waitForSender(attempt: PublicationAttempt, publication: LoadedPublication): Promise<boolean> {
    const { leases, aggregates } = this.deps;
    const end = performance.now() + LONGEST_CALL_MS;
    let pause = RETURN_MS;
    do {
      if (!(await this.waitAndKeepLease(attempt, pause))) return false;
      const latest = await aggregates.loadAggregate(decider, attempt.row.publication_id, publication);
      if (latest.revision > publication.revision) return false;
      pause = LOOK_MS;
    } while (performance.now() < end && leases.hasReturned(publication.state.worker ?? ''));
    return true;
  }

  private async lookUp(
    { attempt, publication, step, context, since, toleranceMs }: UnconfirmedSend,
    began: number,
  ): Promise<LookUpResult | typeof ABANDONED> {
    const { state, position } = publication;
    const before = await this.deps.messages.findMessageIds(attempt.row.channel_id, position);
    if (before === null) return { kind: 'unanswered' }; // the read model does not show all earlier messages yet
    for (const id of state.messageIds) before.add(id);
    const send: SendInDoubt = { since: since(), toleranceMs, before };
    if (!(await this.waitForTurn(attempt, LOOK_UP_CALL, context))) return ABANDONED;
    const isSettled = performance.now() >= began + SETTLED_AFTER_MS;
    // A look-up that throws is a bug: the key or the owner ends the doubt.
    const answer = await attempt.publisher.lookUp!(step, context, send).catch((thrown: unknown): LookUpResult => {
      this.reportBug(attempt, thrown);
      return { kind: 'unknown' };
    });
    return answer.kind === 'not_sent' && !isSettled ? { kind: 'unanswered' } : answer;
  }

  /** True if the network still accepts the attempt's key at a moment of `performance.now()`. */
  private acceptsKey({ attempt, since }: UnconfirmedSend, moment: number): boolean {
    const age = this.deps.clock.now() + moment - performance.now() - since();
    // An attempt that begins in the future was started by a clock that cannot tell how old its key is.
    return age > -CLOCK_DIFFERENCE_MS && age < (attempt.publisher.keyLifetimeMs ?? 0);
  }

  /** Returns the lead of the system clock over the monotonic one: it changes only if the clock is set. */
  private clockLead(): number {
    return this.deps.clock.now() - performance.now();
  }

  /**
   * Sends the step again with the same key. Only the network's confirmation ends the doubt: a refusal may concern the
   * repetition alone. Nothing is repeated while the channel takes no posts: a pause may end in time.
   */
  private async repeat({
    attempt,
    step,
    context,
  }: UnconfirmedSend): Promise<Extract<Resolution, { kind: 'sent' | 'abandoned' }> | 'unanswered' | 'refused'> {
    if (!(await this.waitForTurn(attempt, step, context))) return ABANDONED;
    const { channel, row, publisher } = attempt;
    if (!channel.enabled || (await this.channels.isPaused(row.channel_id))) return 'unanswered';
    const outcome = await publisher.send(step, context).catch((thrown: unknown): null => {
      this.reportBug(attempt, thrown);
      return null;
    });
    if (outcome === null) return 'unanswered';
    if (outcome.kind === 'done') return { kind: 'sent', outcome };
    return outcome.kind === 'in_doubt' || outcome.kind === 'retry' ? 'unanswered' : 'refused';
  }

  private reportBug({ row }: PublicationAttempt, thrown: unknown): void {
    this.deps.log.error(
      { publication: row.publication_id, error: detailOf(thrown) },
      'publisher threw an error while a send was in doubt; this is a bug in the gateway',
    );
  }

  /** Waits outside the platform's concurrency limit. @returns false if this process must let go of the channel */
  private async waitAndKeepLease(attempt: PublicationAttempt, ms: number): Promise<boolean> {
    const { worker, signals, publisher, ownerId } = attempt;
    const place = { group: publisher.platform, owner: ownerId };
    if (ms > 0) await this.deps.concurrency.releaseWhile(place, sleepUnlessAborted(ms, signals.drain), signals.drain);
    return !signals.drain.aborted && this.deps.leases.stillHoldsLeasesOf(worker);
  }

  /** Waits for the network's rate limits: an outage brings many sends into doubt at once. */
  private async waitForTurn(
    attempt: PublicationAttempt,
    call: Pick<Step, 'visible'>,
    { credentials }: SendContext,
  ): Promise<boolean> {
    await this.deps.pacing.waitForTurn(attempt, call, credentials);
    return this.waitAndKeepLease(attempt, 0);
  }
}
