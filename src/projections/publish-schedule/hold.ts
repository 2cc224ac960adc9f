import type { Instant } from '../../kernel/clock.js';
import type { ScheduledChannel, ScheduledPublication } from './publish-schedule.tables.js';

/** Rules that may hold a publication back (D-36; management-api.md: `waiting_for`). */
export type HoldRule =
  | 'project_pause'
  | 'channel_pause'
  | 'backlog_spacing'
  | 'earlier_publication'
  | 'retry'
  | 'platform_limit'
  | 'pace'
  | 'share'
  | 'needs_attention'
  | 'quota';

/** A rule that holds a publication back, when it ends (null if unknown), and the event that caused it. */
export interface Hold {
  readonly rule: HoldRule;
  readonly until: Instant | null;
  readonly eventId: string | null;
}

/** The wait of a due publication. `rule` is null if nothing holds it back: it is next, and a worker will take it. */
export interface DueWait {
  readonly rule: 'retry' | null;
  readonly until: null;
  readonly eventId: string | null;
}

/**
 * A hold with its scope. `project`: posts that the project accepted during its pause. `channel`: everything on the
 * channel. `own`: the publication itself, which is relevant only once it is the channel's head.
 */
interface ScopedHold extends Hold {
  readonly scope: 'project' | 'channel' | 'own';
}

/** The columns that determine a publication's holds; columns that only explain the holds may be absent. */
export type HeldPublication = Pick<ScheduledPublication, 'not_before' | 'retry_at'> &
  Partial<Pick<ScheduledPublication, 'project_pause_event' | 'retry_rule' | 'retry_event'>>;

/** The channel columns that determine holds; columns that only explain the holds may be absent. */
export type HoldingChannel = Pick<ScheduledChannel, 'paused_until' | 'attention_until'> &
  Partial<Pick<ScheduledChannel, 'pause_event' | 'attention_event'>>;

/** A publication with the turn and share that it may be waiting for (D-68). */
export interface PacedPublication extends ScheduledPublication {
  /** Time of the turn that a worker has reserved for it under the network's rate limits; null if there is none. */
  readonly turn_at: Instant | null;
  /**
   * True if the owner's due publications are waiting for media, or the owner is using its whole share of the network.
   */
  readonly uses_share: boolean;
}

type SpacedPublication = Pick<ScheduledPublication, 'accepted_at' | 'not_before' | 'attempt'>;

/** Lists the holds on a publication, except the spacing of a backlog. Holds that end in the past have no effect. */
const listHolds = (publication: HeldPublication, channel: HoldingChannel): readonly ScopedHold[] => {
  const { not_before, project_pause_event = null, retry_at, retry_event = null } = publication;
  const { paused_until, pause_event = null, attention_until, attention_event = null } = channel;
  return [
    { scope: 'project', rule: 'project_pause', until: not_before, eventId: project_pause_event },
    { scope: 'channel', rule: 'channel_pause', until: paused_until, eventId: pause_event },
    { scope: 'channel', rule: 'needs_attention', until: attention_until, eventId: attention_event },
    { scope: 'own', rule: retryRule(publication), until: retry_at, eventId: retry_event },
  ];
};

/** An interrupted attempt is retried like a failed attempt. */
const retryRule = ({ retry_rule }: HeldPublication): HoldRule =>
  !retry_rule || retry_rule === 'interrupted' ? 'retry' : retry_rule;

/** Returns when the interval after the previous backlog publication ends (D-21); 0 if the publication is not spaced. */
const spacingEnd = (publication: SpacedPublication, channel: ScheduledChannel, minuteMs: number): Instant =>
  isSpaced(publication, channel) ? channel.last_backlog_at + minuteMs : 0;

const latestEnd = (holds: readonly ScopedHold[]): Instant => Math.max(...holds.map(({ until }) => until ?? Infinity));

/** True if a pause has delayed a publication. Such publications go out at one-minute intervals (D-21). */
export const isBacklog = (
  publication: Pick<ScheduledPublication, 'accepted_at' | 'not_before'>,
  channel: Pick<ScheduledChannel, 'pause_end'>,
): boolean => publication.accepted_at < channel.pause_end || publication.not_before > 0;

/**
 * True if a publication must wait a minute after the previous backlog publication. A retry waits only for `retry_at`.
 */
export const isSpaced = (publication: SpacedPublication, channel: Pick<ScheduledChannel, 'pause_end'>): boolean =>
  publication.attempt === 0 && isBacklog(publication, channel);

/** Returns the earliest time at which no pause, retry or required intervention holds the publication back (D-21). */
export const computeHoldEnd = (publication: HeldPublication, channel: HoldingChannel): Instant =>
  latestEnd(listHolds(publication, channel));

/**
 * Returns the earliest time at which a worker may pick up a publication that is first in its channel; null if the
 * channel is disabled. A publication that is being published is due at once: its worker's lease keeps other workers
 * away, and another worker must take over once the lease expires. On a deleted channel, a publication is due at once so
 * that a worker cancels it.
 * @param minuteMs spacing of a pause's backlog (D-21, MINUTE_MS)
 */
export const computeDueTime = (
  publication: HeldPublication & SpacedPublication & Pick<ScheduledPublication, 'state'>,
  channel: ScheduledChannel,
  minuteMs: number,
): Instant | null => {
  if (channel.deleted) return 0;
  if (!channel.enabled) return null;
  if (publication.state === 'publishing') return 0;
  return Math.max(computeHoldEnd(publication, channel), spacingEnd(publication, channel, minuteMs));
};

/**
 * Returns the rule that currently holds a publication back; null if it may go out or is not waiting. If several rules
 * apply, the rule that ends last counts. Rules that hold the whole channel (a pause, D-26's wait for a person, a
 * disabled channel) take precedence over the position in the queue.
 * @param head the channel's first publication that no project's pause holds back; null if there is none
 * @param minuteMs spacing of a pause's backlog (D-21, MINUTE_MS)
 */
export const findHold = (
  publication: PacedPublication,
  channel: ScheduledChannel,
  head: PacedPublication | null,
  now: Instant,
  minuteMs: number,
): Hold | null => {
  if (publication.state !== 'queued' || channel.deleted) return null;
  const holds = listHolds(publication, channel).filter(({ until }) => until !== null && until > now);
  // Only a person can enable the channel, so it is reported like a refusal by the network.
  if (!channel.enabled) holds.unshift({ scope: 'channel', rule: 'needs_attention', until: null, eventId: null });
  if (publication.not_before > now) return latest(holds.filter(({ scope }) => scope !== 'own'));
  if (head && head.sequence < publication.sequence) {
    const ofChannel = holds.filter(({ scope }) => scope === 'channel');
    if (ofChannel.length > 0) return latest(ofChannel);
    const first = findHold(head, channel, head, now, minuteMs);
    return { rule: 'earlier_publication', until: first?.until ?? null, eventId: first?.eventId ?? null };
  }
  const until = spacingEnd(publication, channel, minuteMs);
  const eventId = publication.project_pause_event ?? channel.pause_event;
  if (until > now) holds.push({ scope: 'own', rule: 'backlog_spacing', until, eventId });
  const { turn_at, uses_share } = publication;
  if (turn_at !== null) holds.push({ scope: 'own', rule: 'pace', until: turn_at, eventId: null });
  if (holds.length === 0 && uses_share) return { rule: 'share', until: null, eventId: null };
  return latest(holds);
};

/**
 * Returns what a due publication waits for: its retry, or only a worker, for which there is no rule.
 * @param publication may briefly be undefined or `publishing` while the schedule is out of step with the other read
 * models
 */
export const findDueWait = (
  publication: Pick<ScheduledPublication, 'state' | 'attempt' | 'retry_event'> | undefined,
): DueWait =>
  publication?.state === 'queued' && publication.attempt > 0
    ? { rule: 'retry', until: null, eventId: publication.retry_event }
    : { rule: null, until: null, eventId: null };

/** Returns the hold that ends last; in case of a tie, the first in the list. */
const latest = (holds: readonly ScopedHold[]): Hold | null => {
  const end = latestEnd(holds);
  const found = holds.find(({ until }) => (until ?? Infinity) === end);
  return found ? { rule: found.rule, until: found.until, eventId: found.eventId } : null;
};
