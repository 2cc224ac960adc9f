import type { Instant } from '../../kernel/clock.js';
import type { Tx } from '../engine/projection.js';
import { type RowCache, Rows } from '../engine/rows.js';
import { computeDueTime } from './hold.js';
import {
  firstWaitingOf,
  type ProjectPause,
  projectPauses,
  type PublicationRow,
  type ScheduledChannel,
  type ScheduledProject,
  scheduledProjects,
  type ScheduledPublication,
  selectQueue,
} from './publish-schedule.tables.js';

/** The changes that a batch makes to a channel's queue behind a pause. */
interface QueueChange {
  readonly channel_id: string;
  readonly pause_id: string;
  /** Lowest sequence added; null if none was added. */
  first_sequence: number | null;
  added: number;
  removed: number;
}

type DelayedPublication = Pick<PublicationRow, 'channel_id' | 'sequence'>;

/**
 * Maintains project pauses in a batch and, for each channel, the queues of publications delayed by a pause (D-21,
 * ADR-99).
 */
export class ProjectPauses {
  private readonly queues = new Map<string, QueueChange>();
  /** Pauses whose end has changed, with the time of the change. */
  private readonly moved = new Map<string, Instant>();
  /** Pauses that may be deleted, because they were replaced or lifted or their queue is now empty. */
  private readonly past = new Set<string>();

  private constructor(
    private readonly tx: Tx,
    private readonly projects: Rows<ScheduledProject>,
    private readonly pauses: Rows<ProjectPause>,
  ) {}

  /** Loads the latest pauses of these projects, and the pauses that these publications refer to. */
  static async load(
    tx: Tx,
    projectIds: readonly string[],
    publications: Iterable<PublicationRow>,
    cache?: RowCache,
  ): Promise<ProjectPauses> {
    const projects = await Rows.load<ScheduledProject>(tx, scheduledProjects, projectIds, cache);
    const ofProjects = Array.from(projects.values(), ({ pause_id }) => pause_id);
    const ofPublications = Array.from(publications, ({ project_pause_id }) => project_pause_id);
    const ids = [...ofProjects, ...ofPublications].filter((id) => id !== null);
    return new ProjectPauses(tx, projects, await Rows.load(tx, projectPauses, ids, cache));
  }

  /** Sets a project's pause, or changes the end of its active pause. Posts accepted earlier are unaffected. */
  setEnd(projectId: string, until: Instant, at: Instant, eventId: string): void {
    const latest = this.latestOf(projectId);
    if (latest && latest.ends_at > at) return this.moveEnd(latest, until, at, eventId);
    this.pauses.put({ pause_id: eventId, project_id: projectId, ends_at: until, event_id: eventId });
    this.replaceLatest(projectId, eventId);
  }

  /** Ends a project's pause; the posts that it delayed may then go out as its backlog. */
  lift(projectId: string, at: Instant, eventId: string): void {
    const latest = this.latestOf(projectId);
    if (latest && latest.ends_at > at) this.moveEnd(latest, at, at, eventId);
    this.replaceLatest(projectId, null);
  }

  /** Returns the id of the pause that delays a post of a project; null if none does. */
  findDelay(projectId: string, acceptedAt: Instant): string | null {
    const latest = this.latestOf(projectId);
    return latest && latest.ends_at > acceptedAt ? latest.pause_id : null;
  }

  /** Adds a publication to its channel's queue behind a pause. */
  addToQueue({ channel_id, sequence }: DelayedPublication, pauseId: string): void {
    const change = this.queueOf(channel_id, pauseId);
    change.added += 1;
    change.first_sequence = Math.min(change.first_sequence ?? sequence, sequence);
  }

  /** Removes a publication that has started or finished from its queue. @returns the end of the pause */
  removeFromQueue({ channel_id }: DelayedPublication, pauseId: string): Instant {
    this.queueOf(channel_id, pauseId).removed += 1;
    return this.pauses.get(pauseId)!.ends_at;
  }

  /**
   * Writes all changes. The publications must have been written before.
   * @returns the channels whose queues wait behind a changed pause, with the time of the change
   */
  async flush(): Promise<readonly (readonly [channelId: string, at: Instant])[]> {
    await this.projects.flush();
    await this.pauses.flush();
    const changes = [...this.queues.values()];
    await this.writeAdditions(changes.filter(({ added }) => added > 0));
    await this.writeRemovals(changes.filter(({ removed }) => removed > 0));
    await this.deletePastPauses();
    if (this.moved.size === 0) return [];
    const { rows } = await this.tx.query<{ channel_id: string; pause_id: string }>({
      name: 'find paused channels',
      text: 'select channel_id, pause_id from paused_queue where pause_id = any($1)',
      values: [[...this.moved.keys()]],
    });
    return rows.map(({ channel_id, pause_id }) => [channel_id, this.moved.get(pause_id)!]);
  }

  private latestOf(projectId: string): ProjectPause | undefined {
    const pauseId = this.projects.get(projectId)?.pause_id;
    return typeof pauseId === 'string' ? this.pauses.get(pauseId) : undefined;
  }

  private moveEnd(pause: ProjectPause, ends_at: Instant, at: Instant, event_id: string): void {
    this.pauses.put({ ...pause, ends_at, event_id });
    this.moved.set(pause.pause_id, at);
  }

  private replaceLatest(project_id: string, pause_id: string | null): void {
    const before = this.projects.get(project_id)?.pause_id;
    if (typeof before === 'string') this.past.add(before);
    this.projects.put({ project_id, pause_id });
  }

  private queueOf(channel_id: string, pause_id: string): QueueChange {
    const key = `${channel_id} ${pause_id}`;
    const known = this.queues.get(key);
    if (known) return known;
    const change = { channel_id, pause_id, first_sequence: null, added: 0, removed: 0 };
    this.queues.set(key, change);
    return change;
  }

  private async writeAdditions(changes: readonly QueueChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.tx.query({
      name: 'add to paused queues',
      text: `insert into paused_queue (channel_id, pause_id, first_sequence, waiting)
             select channel_id, pause_id, first_sequence, added from json_to_recordset($1::json)
               c(channel_id text, pause_id text, first_sequence bigint, added bigint)
             on conflict (pause_id, channel_id) do update set waiting = paused_queue.waiting + excluded.waiting,
               first_sequence = least(paused_queue.first_sequence, excluded.first_sequence)`,
      values: [JSON.stringify(changes)],
    });
  }

  /** Deletes queues that are now empty, and updates the count and first publication of the others. */
  private async writeRemovals(changes: readonly QueueChange[]): Promise<void> {
    if (changes.length === 0) return;
    const { rows } = await this.tx.query<{ pause_id: string }>({
      name: 'remove from paused queues',
      text: `
        with change as (
          select * from json_to_recordset($1::json) c(channel_id text, pause_id text, removed bigint)),
        shortened as (
          update paused_queue q set waiting = q.waiting - c.removed, first_sequence = (
            select p.sequence from publication p
            where p.project_pause_id = q.pause_id and p.channel_id = q.channel_id order by p.sequence limit 1)
          from change c where q.pause_id = c.pause_id and q.channel_id = c.channel_id and q.waiting > c.removed)
        delete from paused_queue q using change c
        where q.pause_id = c.pause_id and q.channel_id = c.channel_id and q.waiting <= c.removed returning q.pause_id`,
      values: [JSON.stringify(changes)],
    });
    for (const { pause_id } of rows) this.past.add(pause_id);
  }

  /** Deletes pauses that neither their project nor any queue refers to. */
  private async deletePastPauses(): Promise<void> {
    if (this.past.size === 0) return;
    const { rows } = await this.tx.query<{ pause_id: string }>({
      name: 'delete past pauses',
      text: `
        delete from project_pause o where o.pause_id = any($1)
          and not exists (select 1 from project p where p.project_id = o.project_id and p.pause_id = o.pause_id)
          and not exists (select 1 from paused_queue q where q.pause_id = o.pause_id)
        returning o.pause_id`,
      values: [[...this.past]],
    });
    this.pauses.evict(rows.map(({ pause_id }) => pause_id));
  }
}

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
