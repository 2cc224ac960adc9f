import type { Instant } from '../../kernel/clock.js';
import type { Tx } from '../engine/projection.js';
import type { Rows } from '../engine/rows.js';
import { computeDueTime } from './hold.js';
import { firstWaitingOf, type ScheduledChannel, type ScheduledPublication } from './publish-schedule.tables.js';
import { selectQueue } from './queue-depth.js';

/** The columns that {@link computeDueTime} needs, as an array, which is shorter to encode than an object. */
type JudgedColumns = readonly [
  state: ScheduledPublication['state'] | null,
  attempt: number,
  retry_at: number,
  accepted_at: number,
  not_before: number,
];
const judgedColumns = (alias: string): string =>
  ['state', 'attempt', 'retry_at', 'accepted_at', 'not_before'].map((column) => `${alias}.${column}`).join(', ');

/**
 * Updates channels' due times. A channel's head is the first publication in its queue. A publication that a project's
 * pause still delays becomes the head when that pause ends, if its sequence number is lower than the head's. Of the
 * publications delayed by the same pause, only the first matters, because the others come after it.
 * @param touched the channels, each with the time of its latest event. The due time is computed as of that time,
 * because rows must not depend on other channels' events in the batch
 * @param minuteMs spacing of a pause's backlog (D-21, MINUTE_MS)
 * @returns the channels that are due earlier than before
 */
export const updateNextDue = async (
  tx: Tx,
  channels: Rows<ScheduledChannel>,
  touched: ReadonlyMap<string, Instant>,
  minuteMs: number,
): Promise<string[]> => {
  if (touched.size === 0) return [];
  const earlier: string[] = [];
  const ids = [...touched.keys()];
  await channels.loadMore(ids);
  const found = await tx.query<{
    queues: readonly (readonly [
      channelId: string,
      sequence: number | null,
      ...head: JudgedColumns,
      ...delayed: JudgedColumns,
    ])[];
  }>({
    name: 'find heads',
    text: `
      select json_agg(json_build_array(
        k.channel_id,
        case when head.project_pause_id is null then head.sequence else undelayed.sequence end,
        ${judgedColumns('head')}, ${judgedColumns('delayed')})) as queues
      from unnest($1::text[], $2::bigint[], $3::bigint[]) k(channel_id, now, first_waiting)
      left join lateral (${selectQueue('k.channel_id', 'k.first_waiting', 'k.now', 1)}) head on true
      left join lateral (
        select p.sequence from publication p
        where p.channel_id = k.channel_id and p.sequence >= k.first_waiting and p.waits and p.project_pause_id is null
        order by p.sequence limit 1) undelayed on head.project_pause_id is not null
      left join lateral (
        select p.* from (
          select q.pause_id from paused_queue q join project_pause o on o.pause_id = q.pause_id
          where q.channel_id = k.channel_id and o.ends_at > k.now
            and q.first_sequence < coalesce(head.sequence, 9223372036854775807)
          order by o.ends_at limit 1) ends_next
        cross join lateral (
          select * from scheduled_publication p
          where p.project_pause_id = ends_next.pause_id and p.channel_id = k.channel_id
          order by p.sequence limit 1) p) delayed on true`,
    values: [ids, [...touched.values()], ids.map((id) => channels.get(id)?.first_waiting ?? 1)],
  });
  for (const [channelId, sequence, ...columns] of found.rows[0]!.queues) {
    const channel = channels.get(channelId);
    if (!channel) continue;
    const times = [columns.slice(0, 5), columns.slice(5)].flatMap((candidate) => {
      const [state, attempt, retry_at, accepted_at, not_before] = candidate as unknown as JudgedColumns;
      if (state === null) return [];
      return computeDueTime({ state, attempt, retry_at, accepted_at, not_before }, channel, minuteMs) ?? [];
    });
    const next_due = times.length > 0 ? Math.min(...times) : null;
    const first_waiting = firstWaitingOf(sequence ?? channel.last_sequence + 1);
    if (next_due !== null && next_due < (channel.next_due ?? Infinity)) earlier.push(channelId);
    if (next_due !== channel.next_due || first_waiting !== channel.first_waiting)
      channels.patch(channelId, { next_due, first_waiting });
  }
  return earlier;
};
