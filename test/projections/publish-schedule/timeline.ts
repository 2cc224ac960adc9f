import { startInfrastructure } from '../../../src/app/infrastructure.js';
import { createLogger } from '../../../src/config/logger.js';
import { channel as channelDecider } from '../../../src/domain/channel/channel.decider.js';
import { channelPause, projectPause } from '../../../src/domain/pause/pause.decider.js';
import { post } from '../../../src/domain/post/post.decider.js';
import { publication, type PublicationCommand } from '../../../src/domain/publication/publication.decider.js';
import type { CommandContext } from '../../../src/event-store/codec.js';
import { BEGINNING, type Position } from '../../../src/event-store/port.js';
import { deriveId, newUuid } from '../../../src/kernel/ids.js';
import { isRejection } from '../../../src/kernel/result.js';
import { ProjectionRunner } from '../../../src/projections/engine/runner.js';
import { publishSchedule } from '../../../src/projections/publish-schedule/publish-schedule.projection.js';
import { PublishScheduleQueries } from '../../../src/projections/publish-schedule/publish-schedule.queries.js';
import type { ScheduledPublication } from '../../../src/projections/publish-schedule/publish-schedule.tables.js';
import { startTestPostgres } from '../../support/postgres.js';
import { loadTestSettings } from '../../support/settings.js';

const MINUTE = 60_000;

/** A published post and the minute of the timeline at which it was published. */
export type PublishedPost = readonly [post: string, minute: number];

type Infrastructure = Awaited<ReturnType<typeof startInfrastructure>>;

/** The publish schedule on a real event store and database, shared by all timelines of a test file. */
export class Schedule {
  private timelines = 0;

  private constructor(
    readonly infrastructure: Infrastructure,
    readonly queries: PublishScheduleQueries,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<Schedule> {
    const { connectionString: DATABASE_URL, stop } = await startTestPostgres({ migrated: true });
    const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
    const settings = loadTestSettings({ DATABASE_URL, SECRETS_KEY, OPERATOR_KEY: 'service_operator_timeline' });
    const log = createLogger({ logLevel: 'error' });
    const infrastructure = await startInfrastructure(settings, log);
    await infrastructure.leases.start();
    const stopping = new AbortController();
    const running = new ProjectionRunner(publishSchedule(MINUTE), { ...infrastructure, log }).run(stopping.signal);
    await infrastructure.progress.waitFor(['publish-schedule'], BEGINNING, 120_000);
    return new Schedule(infrastructure, new PublishScheduleQueries(infrastructure.pool, MINUTE), async () => {
      stopping.abort();
      await running;
      await infrastructure.stop();
      await stop();
    });
  }

  /** Returns a timeline at minute 0 with channels and projects that no other timeline uses. */
  newTimeline(): Timeline {
    return new Timeline(this, `t${++this.timelines}`);
  }
}

interface WaitingPost {
  readonly postId: string;
  readonly channelId: string;
}

/**
 * Accepts posts, sets pauses and publishes at moments that the test chooses, on the schedule that a worker uses.
 * Nothing waits in real time: {@link at} and {@link publish} set the clock.
 */
export class Timeline {
  private static readonly START = 1_800_000_000_000;
  private readonly published: PublishedPost[] = [];
  private readonly posts = new Map<string, WaitingPost>();
  private readonly channels = new Set<string>();
  private now = Timeline.START;

  constructor(
    private readonly schedule: Schedule,
    private readonly name: string,
  ) {}

  /** Sets the clock to a minute without publishing anything. */
  at(minute: number): this {
    this.now = Timeline.START + minute * MINUTE;
    return this;
  }

  /** Accepts a post for a channel, in a project. */
  async accept(name: string, { project = 'project', channel = 'channel' } = {}): Promise<void> {
    const [postId, channelId] = [deriveId('post', this.id(name)), await this.connectChannel(channel)];
    const publicationId = deriveId('pub', this.id(name));
    this.posts.set(publicationId, { postId, channelId });
    const target = { publicationId, channelId, platform: 'telegram', projectId: this.id(project) } as const;
    const request = { ip: '127.0.0.1', userAgent: null, route: '', payloadBytes: 0, latencyMs: 0 };
    const facts = { key: null, externalId: null, traceId: null, bodyHash: '', parts: null, request };
    const origin = { postId, acceptedAt: this.now, endpointId: 'ep_1', ownerId: 'own_1' };
    const data = { ...origin, ...facts, payload: { text: name }, targets: [target] };
    const command = { type: 'AcceptPost', data } as const;
    await this.waitForSchedule(
      this.schedule.infrastructure.aggregates.execute(post, postId, command, this.commandContext()),
    );
  }

  async pauseChannel(minutes: number, channel = 'channel'): Promise<void> {
    const channelId = await this.connectChannel(channel);
    const command = { type: 'PauseChannel', ...this.pauseRequest(minutes), channelId } as const;
    await this.waitForSchedule(
      this.schedule.infrastructure.aggregates.execute(channelPause, command.channelId, command, this.commandContext()),
    );
  }

  async resumeChannel(channel = 'channel'): Promise<void> {
    const command = { type: 'ResumeChannel', at: this.now, channelId: this.id(channel) } as const;
    await this.waitForSchedule(
      this.schedule.infrastructure.aggregates.execute(channelPause, command.channelId, command, this.commandContext()),
    );
  }

  async pauseProject(minutes: number, project = 'project'): Promise<void> {
    const command = { type: 'PauseProject', ...this.pauseRequest(minutes), projectId: this.id(project) } as const;
    await this.waitForSchedule(
      this.schedule.infrastructure.aggregates.execute(projectPause, command.projectId, command, this.commandContext()),
    );
  }

  async resumeProject(project = 'project'): Promise<void> {
    const command = { type: 'ResumeProject', at: this.now, projectId: this.id(project) } as const;
    await this.waitForSchedule(
      this.schedule.infrastructure.aggregates.execute(projectPause, command.projectId, command, this.commandContext()),
    );
  }

  /**
   * Publishes everything that is due up to a minute, as a worker does, except that publishing takes no time. Returns
   * all posts published since the start.
   * @param outcome result of each attempt; default: success
   */
  async publish(until: number, outcome: (post: string) => 'success' | { retryAfter: number } = () => 'success') {
    const end = Timeline.START + until * MINUTE;
    for (;;) {
      if (await this.publishDue(outcome)) continue;
      const next = await this.findNextDue();
      if (next === null || next > end) break;
      this.now = next;
    }
    this.now = end;
    return this.published;
  }

  private async connectChannel(channel: string): Promise<string> {
    const channelId = this.id(channel);
    if (this.channels.has(channelId)) return channelId;
    this.channels.add(channelId);
    const ownerAndName = { ownerId: 'own_1', platform: 'telegram', name: channel } as const;
    const connection = { address: {}, credentialsId: 'secret', settings: {} };
    const command = { type: 'ConnectChannel', channelId, ...ownerAndName, ...connection } as const;
    await this.waitForSchedule(
      this.schedule.infrastructure.aggregates.execute(channelDecider, channelId, command, this.commandContext()),
    );
    return channelId;
  }

  private async publishDue(outcome: (post: string) => 'success' | { retryAfter: number }): Promise<boolean> {
    for (const channelId of this.channels) {
      const queue = await this.schedule.queries.readQueue(channelId, this.now);
      if (!queue || queue.due > this.now) continue;
      for (const row of [queue.head, ...queue.followers]) if (!(await this.attempt(row, outcome))) break;
      return true;
    }
    return false;
  }

  /** Makes one attempt at a publication; returns true if it succeeded. */
  private async attempt(
    { publication_id: id, post_id: postId, attempt }: ScheduledPublication,
    outcome: (post: string) => 'success' | { retryAfter: number },
  ): Promise<boolean> {
    const name = await this.readName(postId);
    await this.record(id, {
      type: 'StartAttempt',
      after: attempt,
      at: this.now,
      worker: 'w',
      sending: null,
      projectRevision: null,
    });
    const result = outcome(name);
    const ofAttempt = { attempt: attempt + 1, at: this.now };
    if (result === 'success') {
      await this.record(id, { type: 'MarkPublished', ...ofAttempt, messageIds: [], urls: [], warnings: [] });
      this.published.push([name, (this.now - Timeline.START) / MINUTE]);
      return true;
    }
    const error = { code: 'busy', category: 'platform', source: 'telegram', message: 'busy' };
    const retryAt = this.now + result.retryAfter * MINUTE;
    await this.record(id, { type: 'PostponePublication', ...ofAttempt, retryAt, rule: 'platform_limit', error });
    return false;
  }

  /** Returns the next moment at which a channel is due. @throws Error if a channel is due but its head is not */
  private async findNextDue(): Promise<number | null> {
    const { rows } = await this.schedule.infrastructure.pool.query<{ channel_id: string; next_due: bigint }>(
      'select channel_id, next_due from publish_schedule.channel where channel_id = any($1) and next_due is not null',
      [[...this.channels]],
    );
    const due = rows.map(({ next_due }) => Number(next_due));
    const notDue = rows.find(({ next_due }) => Number(next_due) <= this.now);
    if (notDue)
      throw new Error(`${notDue.channel_id} was due at ${notDue.next_due}, but its head is not due at ${this.now}`);
    return due.length === 0 ? null : Math.min(...due);
  }

  private async record(publicationId: string, command: ProgressCommand): Promise<void> {
    const full = { ...command, publicationId, ...this.posts.get(publicationId)! } as PublicationCommand;
    await this.waitForSchedule(
      this.schedule.infrastructure.aggregates.execute(publication, publicationId, full, this.commandContext()),
    );
  }

  private async readName(postId: string): Promise<string> {
    const event = await this.schedule.infrastructure.aggregates.readLastEvent(`post-${postId}`);
    return (event!.data as { payload: { text: string } }).payload.text;
  }

  private async waitForSchedule(
    decided: Promise<{ aggregate: { position: Position } } | { rejection: string }>,
  ): Promise<void> {
    const result = await decided;
    if (isRejection(result)) throw new Error(result.rejection);
    const { position } = (result as { aggregate: { position: Position } }).aggregate;
    await this.schedule.infrastructure.progress.waitFor(['publish-schedule'], position, 120_000);
  }

  private commandContext(): CommandContext {
    const origin = { actor: 'test', requestId: '', causationId: '', correlationId: '', clientAddress: null };
    return { ...origin, commandId: newUuid(), at: this.now };
  }

  private pauseRequest(minutes: number) {
    return { at: this.now, minutes, minuteMs: MINUTE, source: 'temp-pause', postId: null } as const;
  }

  private id(name: string): string {
    return `${this.name}_${name}`;
  }
}

type ProgressCommand = WithoutIds<PublicationCommand>;
type WithoutIds<C> = C extends unknown ? Omit<C, 'publicationId' | 'postId' | 'channelId'> : never;
