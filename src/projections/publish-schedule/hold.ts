import type { Instant } from '../../kernel/instant.js';
import { isSpaced, type ScheduledChannel, type ScheduledPublication } from './publish-schedule.tables.js';

/** What may hold a publication back (D-36; management-api.md: `waiting_for`). */
export type HoldRule =
  | 'project_pause'
  | 'channel_pause'
  | 'backlog_spacing'
  | 'earlier_publication'
  | 'retry'
  | 'platform_limit'
  | 'needs_attention'
  | 'quota';

/** What holds a publication back, until when (null: no moment is known), and the event that says so. */
export interface Hold {
  readonly rule: HoldRule;
  readonly until: Instant | null;
  readonly eventId: string | null;
}

/**
 * The one rule that holds a publication back just now; null where it may go, or is not waiting. It mirrors
 * `findNextDue` of the projection: where several rules hold at once, the one that ends last is told. What stops the whole
 * channel (its pause, D-26's wait for a credential, being switched off) comes before the place in the queue.
 *
 * @param head the channel's first publication in order that no project's pause holds back; null: there is none.
 * @param minuteMs spacing of a pause's backlog (D-21, MINUTE_MS).
 */
export const holdOf = (
  row: ScheduledPublication,
  channel: ScheduledChannel,
  head: ScheduledPublication | null,
  now: Instant,
  minuteMs: number,
): Hold | null => {
  if (row.state !== 'queued') return null;
  const gates = channelGates(channel, now);
  if (row.not_before > now)
    return last([{ rule: 'project_pause', until: row.not_before, eventId: row.gate_event }, ...gates]);
  if (head && head.publication_id !== row.publication_id) {
    if (gates.length > 0) return last(gates);
    const first = holdOf(head, channel, head, now, minuteMs);
    return { rule: 'earlier_publication', until: first?.until ?? null, eventId: first?.eventId ?? null };
  }
  const own: Hold[] = [];
  if (row.retry_at > now) own.push({ rule: retryRule(row), until: row.retry_at, eventId: row.retry_event });
  const spacedUntil = channel.last_backlog_at + minuteMs;
  if (isSpaced(row, channel) && spacedUntil > now)
    own.push({ rule: 'backlog_spacing', until: spacedUntil, eventId: row.gate_event ?? channel.pause_event });
  return last([...gates, ...own]);
};

const channelGates = (channel: ScheduledChannel, now: Instant): Hold[] => {
  const { enabled, paused_until, pause_event, attention_until, attention_event } = channel;
  const gates: Hold[] = [];
  // Only a person can end this, like the wait for a credential.
  if (!enabled) gates.push({ rule: 'needs_attention', until: null, eventId: null });
  if (paused_until > now) gates.push({ rule: 'channel_pause', until: paused_until, eventId: pause_event });
  if (attention_until > now) gates.push({ rule: 'needs_attention', until: attention_until, eventId: attention_event });
  return gates;
};

/** An attempt that ended with its process is tried again like one that failed. */
const retryRule = ({ retry_rule }: ScheduledPublication): HoldRule =>
  retry_rule === null || retry_rule === 'interrupted' ? 'retry' : retry_rule;

const last = (holds: readonly Hold[]): Hold | null =>
  holds.reduce<Hold | null>((found, next) => (found === null || ends(next) > ends(found) ? next : found), null);

const ends = ({ until }: Hold): number => until ?? Infinity;
