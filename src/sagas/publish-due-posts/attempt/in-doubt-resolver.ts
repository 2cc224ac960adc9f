import { Inject, Injectable } from '@nestjs/common';
import { publication as decider } from '../../../domain/publication/publication.decider.js';
import { AggregateStore } from '../../../event-store/aggregate-store.js';
import { CLOCK, type Clock, type Instant } from '../../../kernel/clock.js';
import { LOG, type Log } from '../../../kernel/log.js';
import type { LookUpResult, SendContext, SendInDoubt, Step } from '../../../platforms/publisher.js';
import { Leases } from '../../../postgres/leases.js';
import { ChannelMessages } from '../../../projections/posts/publications.queries.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';
import { GroupConcurrency } from '../../engine/group-concurrency.js';
import { ChannelStates } from '../inputs/waiting-publications.js';
import type { LoadedPublication, Resolution } from './attempt-state.js';
import type { PublicationAttempt } from './publication-attempt.js';
import { Pacing } from './start-limits.js';

/** A send whose outcome is unknown. */
interface UnconfirmedSend {
  readonly attempt: PublicationAttempt;
  readonly publication: LoadedPublication;
  readonly step: Step;
  readonly context: SendContext;
  /** When the attempt started, on the current system clock; may be up to `toleranceMs` too late. */
  readonly since: () => Instant;
  readonly toleranceMs: number;
}

/** How far another machine's clock may have been ahead when it started an attempt, in ms (ADR-103). */
export const CLOCK_TOLERANCE_MS = 2 * 3_600_000;
/** Maximum clock difference between NTP-synchronised machines, in ms. */
const CLOCK_DIFFERENCE_MS = 5_000;

const ABANDONED = { kind: 'abandoned' } as const;

/** When to try to resolve the doubt, in ms after the first try: for as long as a failing post is retried (D-20). */
const TRY_AFTER_MS = [0, 2_000, 5_000, 15_000, 45_000, 120_000, 300_000];
/**
 * How long a network may still process a call after the connection breaks, in ms. An earlier "not sent" is not trusted.
 */
export const SETTLED_AFTER_MS = 5_000;
/**
 * Interval between checks for a response recorded by another process, in ms: long enough for the process to register
 * again after a lost session.
 */
const LOOK_MS = 1_000;
/** How long to wait for another process's response, in ms: longer than any call except the slowest uploads. */
const LONGEST_CALL_MS = 120_000;
/** How long to try the look-up before repeating the send with its key, in ms: the look-up is more reliable (D-41). */
const KEY_AFTER_MS = 45_000;
/** Maximum number of refusals: a send that was refused this often is not repeated again. */
const MAX_REFUSALS = 3;

/**
 * Resolves a send that readers may or may not see (D-25): looks it up on the network or, failing that, repeats it with
 * the same key if the network supports keys (D-41). Meanwhile, the attempt stays open and the channel is held, so that
 * no later post overtakes this one. Takes about five minutes at most, after up to two minutes of waiting for another
 * process that may still record the outcome.
 */
@Injectable()
export class InDoubtResolver {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly messages: ChannelMessages,
    private readonly leases: Leases,
    private readonly concurrency: GroupConcurrency,
    private readonly pacing: Pacing,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
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
      attempt,
      publication,
      step,
      context,
      // The clock may have been adjusted since this process started the attempt, so add the difference.
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
   * Waits while the process that made the call is alive: it has lost its leases, but still records the network's
   * response. Until then, the network may not show the post.
   * @returns false if the process has recorded the response, or if this process must release the channel
   */
  private async waitForSender(attempt: PublicationAttempt, publication: LoadedPublication): Promise<boolean> {
    const { leases, aggregates } = this;
    const end = performance.now() + LONGEST_CALL_MS;
    do {
      if (!(await this.waitAndKeepLease(attempt, LOOK_MS))) return false;
      const latest = await aggregates.loadAggregate(decider, attempt.row.publication_id, publication);
      if (latest.revision > publication.revision) return false;
    } while (performance.now() < end && leases.hasReturned(publication.state.worker ?? ''));
    return true;
  }

  private async lookUp(
    { attempt, publication, step, context, since, toleranceMs }: UnconfirmedSend,
    began: number,
  ): Promise<LookUpResult | typeof ABANDONED> {
    const { state, position } = publication;
    const before = await this.messages.findMessageIds(attempt.row.channel_id, position);
    if (before === null) return { kind: 'unanswered' }; // the read model does not show all earlier messages yet
    for (const id of state.messageIds) before.add(id);
    const send: SendInDoubt = { since: since(), toleranceMs, before };
    if (!(await this.waitForTurn(attempt, { visible: false }, context))) return ABANDONED;
    const isSettled = performance.now() >= began + SETTLED_AFTER_MS;
    // A look-up that throws is a bug; the key or the owner must resolve the doubt.
    const answer = await attempt.publisher.lookUp!(step, context, send).catch((thrown: unknown): LookUpResult => {
      this.reportBug(attempt, thrown);
      return { kind: 'unknown' };
    });
    return answer.kind === 'not_sent' && !isSettled ? { kind: 'unanswered' } : answer;
  }

  /** True if the network still accepts the attempt's key at the given `performance.now()` timestamp. */
  private acceptsKey({ attempt, since }: UnconfirmedSend, moment: number): boolean {
    const age = this.clock.now() + moment - performance.now() - since();
    // If the start is in the future, it was recorded by another clock, and the age of the key is unknown.
    return age > -CLOCK_DIFFERENCE_MS && age < (attempt.publisher.keyLifetimeMs ?? 0);
  }

  /** Returns how far the system clock is ahead of the monotonic clock; changes only if the system clock is set. */
  private clockLead(): number {
    return this.clock.now() - performance.now();
  }

  /**
   * Sends the step again with the same key. Only a confirmation ends the doubt: a refusal may apply only to the repeat.
   * Does nothing while the channel may not publish.
   */
  private async repeat({
    attempt,
    publication,
    step,
    context,
  }: UnconfirmedSend): Promise<Extract<Resolution, { kind: 'sent' | 'abandoned' }> | 'unanswered' | 'refused'> {
    if (!(await this.waitForTurn(attempt, step, context))) return ABANDONED;
    const { row, publisher } = attempt;
    if (!(await this.channels.mayPublish(row.channel_id))) return 'unanswered';
    const { state } = await this.aggregates.loadAggregate(decider, row.publication_id, publication);
    if (state.withdrawal) return 'unanswered'; // a post that was taken back is never sent again (D-69)
    const outcome = await publisher.send(step, context).catch((thrown: unknown): null => {
      this.reportBug(attempt, thrown);
      return null;
    });
    if (outcome === null) return 'unanswered';
    if (outcome.kind === 'done') return { kind: 'sent', outcome };
    return outcome.kind === 'in_doubt' || outcome.kind === 'retry' ? 'unanswered' : 'refused';
  }

  private reportBug({ row }: PublicationAttempt, thrown: unknown): void {
    this.log.error(
      { publication: row.publication_id, err: thrown },
      'publisher threw an error while a send was in doubt; this is a bug in the gateway',
    );
  }

  /** Waits outside the network's concurrency limit. @returns false if this process must release the channel */
  private async waitAndKeepLease(attempt: PublicationAttempt, ms: number): Promise<boolean> {
    const { worker, signals, publisher, ownerId } = attempt;
    const place = { group: publisher.platform, owner: ownerId };
    if (ms > 0) await this.concurrency.releaseWhile(place, sleepUnlessAborted(ms, signals.drain), signals.drain);
    return !signals.drain.aborted && this.leases.stillHoldsLeasesOf(worker);
  }

  /** Waits for the network's rate limits, because an outage leaves many sends in doubt at once. */
  private async waitForTurn(
    attempt: PublicationAttempt,
    call: Pick<Step, 'visible'>,
    { credentials }: SendContext,
  ): Promise<boolean> {
    await this.pacing.waitForTurn(attempt, call, credentials);
    return this.waitAndKeepLease(attempt, 0);
  }
}
