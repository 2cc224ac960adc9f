import type { Instant } from '../../../src/kernel/clock.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { computeDueTime, computeHoldEnd, isBacklog, isSpaced } from '../../../src/projections/publish-schedule/hold.js';
import type { PauseChange } from '../../../src/projections/publish-schedule/publish-schedule.queries.js';
import {
  newChannelRow,
  type ScheduledChannel,
  type ScheduledPublication,
} from '../../../src/projections/publish-schedule/publish-schedule.tables.js';

/** A publication of the model: it has its own copy of the end of its project's pause. */
export type NaivePublication = {
  -readonly [
    Column in keyof Omit<
      ScheduledPublication,
      'project_pause_id' | 'waited_until' | 'queued_position' | 'is_restored' | 'is_withdrawn'
    >
  ]: ScheduledPublication[Column];
};

/** The data of any event that the schedule handles. */
interface AnyData {
  readonly publicationId: string;
  readonly channelId: string;
  readonly projectId: string;
  readonly postId: string;
  readonly ownerId: string;
  readonly at: Instant;
  readonly acceptedAt: Instant;
  readonly until: Instant;
  readonly retryAt: Instant;
  readonly rule: ScheduledPublication['retry_rule'];
  readonly attempt: number;
  readonly targets: readonly { publicationId: string; channelId: string; platform: string; projectId: string }[];
}

/**
 * The publish schedule in its simplest form: a project's pause rewrites every publication that it delays, and
 * every question looks at all rows. The real schedule must give the same answers.
 */
export class NaiveSchedule {
  readonly channels = new Map<string, ScheduledChannel>();
  rows: NaivePublication[] = [];
  private readonly pauses = new Map<string, { readonly until: Instant; readonly event: string }>();
  private touched = new Set<string>();

  constructor(private readonly minuteMs: number) {}

  /** Applies a batch of events, after which the touched channels have a new `next_due`. */
  apply(events: readonly RecordedEvent[]): void {
    this.touched = new Set();
    for (const event of events) this.handle(event);
    const now = events.at(-1)!.at;
    for (const channelId of this.touched)
      this.patchChannel(channelId, { next_due: this.computeNextDue(channelId, now) });
  }

  /** Returns the publications that no project's pause holds back, in order. */
  queueOf(channelId: string, now: Instant): NaivePublication[] {
    return this.waitingOn(channelId).filter((row) => row.not_before <= now);
  }

  /** Returns a channel's queue as the worker reads it; null if it is empty or the channel is disabled. */
  readQueue(channelId: string, now: Instant) {
    const channel = this.channels.get(channelId)!;
    const [head, ...behind] = this.queueOf(channelId, now).slice(0, 8);
    if (!head || !channel.enabled) return null;
    const end = behind.findIndex(
      (row) => row.state !== 'queued' || row.attempt > 0 || row.retry_at > 0 || isSpaced(row, channel),
    );
    const followers = end < 0 ? behind : behind.slice(0, end);
    return {
      head: head.publication_id,
      due: this.dueTimeOf(head),
      followers: followers.map((row) => row.publication_id),
    };
  }

  /** Counts the publications whose earliest time a change of pauses moves. */
  countRescheduled(at: Instant, projects: PauseChange, channels: PauseChange): number {
    const change = (end: Instant, until: Instant | null): Instant => (until === null ? 0 : Math.max(end, until));
    return this.rows.filter((row) => {
      if (row.state !== 'queued') return false;
      const channel = this.channels.get(row.channel_id)!;
      const isOfProject = row.not_before > at && projects.ids.includes(row.project_id);
      const after = isOfProject ? { ...row, not_before: change(row.not_before, projects.until) } : row;
      const isOfChannel = channels.ids.includes(row.channel_id);
      const channelAfter = isOfChannel
        ? { ...channel, paused_until: change(channel.paused_until, channels.until) }
        : channel;
      return Math.max(at, computeHoldEnd(row, channel)) !== Math.max(at, computeHoldEnd(after, channelAfter));
    }).length;
  }

  private handle({ type, data, at, id, stream, revision }: RecordedEvent): void {
    const event = data as AnyData;
    const { publicationId, channelId } = event;
    const row = this.rows.find(({ publication_id }) => publication_id === publicationId);
    switch (type) {
      case 'PostAccepted':
        for (const target of event.targets) {
          const channel = this.channels.get(target.channelId)!;
          const sequence = channel.last_sequence + 1;
          this.patchChannel(target.channelId, { last_sequence: sequence });
          const pause = this.pauses.get(target.projectId);
          const isDelayed = pause !== undefined && pause.until > event.acceptedAt;
          this.rows.push({
            publication_id: target.publicationId,
            post_id: event.postId,
            post_stream: stream,
            post_revision: String(revision),
            channel_id: target.channelId,
            project_id: target.projectId,
            owner_id: event.ownerId,
            platform: target.platform,
            sequence,
            accepted_at: event.acceptedAt,
            not_before: isDelayed ? pause.until : 0,
            project_pause_event: isDelayed ? pause.event : null,
            state: 'queued',
            attempt: 0,
            retry_at: 0,
            retry_rule: null,
            retry_event: null,
            is_edited: false,
          });
          this.touched.add(target.channelId);
        }
        return;
      case 'PublicationStarted': {
        Object.assign(row!, { state: 'publishing', attempt: event.attempt });
        const channel = this.channels.get(channelId)!;
        if (isBacklog(row!, channel)) this.patchChannel(channelId, { last_backlog_at: event.at });
        if (!(channel.next_due !== null && channel.next_due <= event.at)) this.touched.add(channelId);
        return;
      }
      case 'PublicationPostponed':
        Object.assign(row!, { state: 'queued', retry_at: event.retryAt, retry_rule: event.rule, retry_event: id });
        break;
      case 'PublicationHeld':
        Object.assign(row!, { retry_at: event.until, retry_rule: event.rule, retry_event: id });
        break;
      case 'PublicationFailed':
        row!.state = 'failed';
        break;
      case 'PublicationResent':
        Object.assign(row!, { state: 'queued', retry_at: 0, retry_rule: null, retry_event: null });
        break;
      case 'PublicationSucceeded':
      case 'PublicationFiltered':
      case 'PublicationDismissed':
        this.rows = this.rows.filter((other) => other !== row);
        break;
      case 'ChannelConnected':
        this.channels.set(channelId, newChannelRow(channelId, 'telegram', event.ownerId));
        return;
      case 'ChannelPaused':
        this.patchChannel(channelId, { paused_until: event.until, pause_end: event.until, pause_event: id });
        break;
      case 'ChannelResumed':
        this.patchChannel(channelId, { paused_until: 0, pause_end: event.at, pause_event: id });
        break;
      case 'ProjectPaused':
        return this.rewriteDelayed(event.projectId, event.until, at, id);
      case 'ProjectResumed':
        return this.rewriteDelayed(event.projectId, 0, at, id);
    }
    this.touched.add(channelId);
  }

  private rewriteDelayed(projectId: string, until: Instant, at: Instant, event: string): void {
    this.pauses.set(projectId, { until, event });
    for (const row of this.rows) {
      if (row.project_id !== projectId || row.state !== 'queued' || row.not_before <= at) continue;
      Object.assign(row, { not_before: until === 0 ? at : until, project_pause_event: event });
      this.touched.add(row.channel_id);
    }
  }

  private computeNextDue(channelId: string, now: Instant): Instant | null {
    const [head] = this.queueOf(channelId, now);
    const delayed = this.waitingOn(channelId).filter(
      (row) => row.not_before > now && row.sequence < (head?.sequence ?? Infinity),
    );
    const dueTimes = [...(head ? [head] : []), ...delayed].flatMap((row) => this.dueTimeOf(row) ?? []);
    return dueTimes.length > 0 ? Math.min(...dueTimes) : null;
  }

  private waitingOn(channelId: string): NaivePublication[] {
    return this.rows
      .filter(({ channel_id, state }) => channel_id === channelId && (state === 'queued' || state === 'publishing'))
      .sort((a, b) => a.sequence - b.sequence);
  }

  private dueTimeOf(row: NaivePublication): Instant | null {
    return computeDueTime(row, this.channels.get(row.channel_id)!, this.minuteMs);
  }

  private patchChannel(channelId: string, change: Partial<ScheduledChannel>): void {
    this.channels.set(channelId, { ...this.channels.get(channelId)!, ...change });
  }
}
