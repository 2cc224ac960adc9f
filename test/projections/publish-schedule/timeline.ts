import { startInfrastructure } from '../../../src/app/infrastructure.js';
import { createLogger } from '../../../src/config/logger.js';
import { loadSettings } from '../../../src/config/settings.js';
import { channelPause } from '../../../src/domain/channel-pause/channel-pause.decider.js';
import { channel as channelDecider } from '../../../src/domain/channel/channel.decider.js';
import { post } from '../../../src/domain/post/post.decider.js';
import { projectPause } from '../../../src/domain/project-pause/project-pause.decider.js';
import { publication, type PublicationCommand } from '../../../src/domain/publication/publication.decider.js';
import type { Execution } from '../../../src/event-store/codec.js';
import { BEGINNING, type Position } from '../../../src/event-store/port.js';
import { derivedId, newUuid } from '../../../src/kernel/ids.js';
import { isRejection } from '../../../src/kernel/result.js';
import { publishSchedule } from '../../../src/projections/publish-schedule/publish-schedule.projection.js';
import { PublishScheduleQueries } from '../../../src/projections/publish-schedule/publish-schedule.queries.js';
import type { ScheduledPublication } from '../../../src/projections/publish-schedule/publish-schedule.tables.js';
import { ProjectionRunner } from '../../../src/projections/engine/runner.js';
import { startTestPostgres } from '../../support/postgres.js';

const MINUTE = 60_000;

/** A post that went out, and when: in minutes of the timeline. */
export type Went = readonly [post: string, minute: number];

type Infrastructure = Awaited<ReturnType<typeof startInfrastructure>>;

/** The publish schedule over a real store and database, for as many timelines as a test file needs. */
export class Schedule {
  private timelines = 0;

  private constructor(
    readonly on: Infrastructure,
    readonly queries: PublishScheduleQueries,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<Schedule> {
    const { connectionString: DATABASE_URL, stop } = await startTestPostgres();
    const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
    const settings = loadSettings({ DATABASE_URL, SECRETS_KEY, OPERATOR_KEY: 'service_operator_timeline' });
    const log = createLogger({ logLevel: 'error' });
    const on = await startInfrastructure(settings, log);
    await on.leases.start();
    const stopping = new AbortController();
    const running = new ProjectionRunner(publishSchedule(MINUTE), { ...on, log }).run(stopping.signal);
    await on.progress.waitFor(['publish-schedule'], BEGINNING);
    return new Schedule(on, new PublishScheduleQueries(on.pool, MINUTE), async () => {
      stopping.abort();
      await running;
      await on.stop();
      await stop();
    });
  }

  /** A time of its own, with channels and projects of its own; it begins at minute 0. */
  timeline(): Timeline {
    return new Timeline(this, `t${++this.timelines}`);
  }
}

interface Waiting {
  readonly postId: string;
  readonly channelId: string;
}

/**
 * Posts, pauses and publications at moments that the test chooses, on the schedule that the worker goes by. Nothing
 * waits: time is where {@link at} and {@link publish} put it.
 */
export class Timeline {
  private static readonly START = 1_800_000_000_000;
  private readonly went: Went[] = [];
  private readonly posts = new Map<string, Waiting>();
  private readonly channels = new Set<string>();
  private now = Timeline.START;

  constructor(
    private readonly schedule: Schedule,
    private readonly name: string,
  ) {}

  /** Goes on to a minute, without publishing anything meanwhile. */
  at(minute: number): this {
    this.now = Timeline.START + minute * MINUTE;
    return this;
  }

  /** Accepts a post for a channel, in a project. */
  async accept(name: string, { project = 'project', channel = 'channel' } = {}): Promise<void> {
    const [postId, channelId] = [derivedId('post', this.id(name)), await this.connected(channel)];
    const publicationId = derivedId('pub', this.id(name));
    this.posts.set(publicationId, { postId, channelId });
    const target = { publicationId, channelId, platform: 'telegram', projectId: this.id(project) } as const;
    const request = { ip: '127.0.0.1', userAgent: null, route: '', payloadBytes: 0, latencyMs: 0 };
    const facts = { key: null, externalId: null, traceId: null, bodyHash: '', parts: null, request };
    const whose = { postId, acceptedAt: this.now, endpointId: 'ep_1', ownerId: 'own_1' };
    const data = { ...whose, ...facts, payload: { text: name }, targets: [target] };
    const command = { type: 'AcceptPost', data } as const;
    await this.done(this.schedule.on.streams.run(post, postId, command, this.execution()));
  }

  async pauseChannel(minutes: number, channel = 'channel'): Promise<void> {
    const command = { ...this.pause(minutes), channelId: await this.connected(channel) };
    await this.done(this.schedule.on.streams.run(channelPause, command.channelId, command, this.execution()));
  }

  async resumeChannel(channel = 'channel'): Promise<void> {
    const command = { type: 'Resume', at: this.now, channelId: this.id(channel) } as const;
    await this.done(this.schedule.on.streams.run(channelPause, command.channelId, command, this.execution()));
  }

  async pauseProject(minutes: number, project = 'project'): Promise<void> {
    const command = { ...this.pause(minutes), projectId: this.id(project) };
    await this.done(this.schedule.on.streams.run(projectPause, command.projectId, command, this.execution()));
  }

  async resumeProject(project = 'project'): Promise<void> {
    const command = { type: 'Resume', at: this.now, projectId: this.id(project) } as const;
    await this.done(this.schedule.on.streams.run(projectPause, command.projectId, command, this.execution()));
  }

  /**
   * Publishes as the worker does, whatever is due up to a minute; publishing takes no time. Answers what has gone out
   * since the beginning.
   * @param outcome what becomes of an attempt, where not success
   */
  async publish(until: number, outcome: (post: string) => 'success' | { retryAfter: number } = () => 'success') {
    const end = Timeline.START + until * MINUTE;
    for (;;) {
      if (await this.publishDue(outcome)) continue;
      const next = await this.nextDue();
      if (next === null || next > end) break;
      this.now = next;
    }
    this.now = end;
    return this.went;
  }

  private async connected(channel: string): Promise<string> {
    const channelId = this.id(channel);
    if (this.channels.has(channelId)) return channelId;
    this.channels.add(channelId);
    const whose = { ownerId: 'own_1', platform: 'telegram', name: channel } as const;
    const how = { address: {}, credentialsId: 'secret', settings: {} };
    const command = { type: 'ConnectChannel', channelId, ...whose, ...how } as const;
    await this.done(this.schedule.on.streams.run(channelDecider, channelId, command, this.execution()));
    return channelId;
  }

  private async publishDue(outcome: (post: string) => 'success' | { retryAfter: number }): Promise<boolean> {
    for (const channelId of this.channels) {
      const upNext = await this.schedule.queries.upNext(channelId, this.now);
      if (!upNext || upNext.due > this.now) continue;
      for (const row of [upNext.head, ...upNext.followers]) if (!(await this.attempt(row, outcome))) break;
      return true;
    }
    return false;
  }

  /** One attempt at a publication; true where it went out. */
  private async attempt(
    { publication_id: id, post_id: postId, attempt }: ScheduledPublication,
    outcome: (post: string) => 'success' | { retryAfter: number },
  ): Promise<boolean> {
    const name = await this.nameOf(postId);
    await this.record(id, { type: 'Start', at: this.now, worker: 'w', sending: null, projectRevision: null });
    const came = outcome(name);
    const of = { attempt: attempt + 1, at: this.now };
    if (came === 'success') {
      await this.record(id, { type: 'Succeed', ...of, messageIds: [], urls: [], warnings: [] });
      this.went.push([name, (this.now - Timeline.START) / MINUTE]);
      return true;
    }
    const error = { code: 'busy', category: 'platform', source: 'telegram', message: 'busy' };
    const retryAt = this.now + came.retryAfter * MINUTE;
    await this.record(id, { type: 'Postpone', ...of, retryAt, rule: 'platform_limit', error });
    return false;
  }

  /** The next moment at which the schedule would have a worker look. @throws where it would look, and find nothing */
  private async nextDue(): Promise<number | null> {
    const { rows } = await this.schedule.on.pool.query<{ channel_id: string; next_due: bigint }>(
      'select channel_id, next_due from publish_schedule.channel where channel_id = any($1) and next_due is not null',
      [[...this.channels]],
    );
    const due = rows.map(({ next_due }) => Number(next_due));
    const idle = rows.find(({ next_due }) => Number(next_due) <= this.now);
    if (idle) throw new Error(`${idle.channel_id} is due by ${idle.next_due}, but its head is not by ${this.now}`);
    return due.length === 0 ? null : Math.min(...due);
  }

  private async record(publicationId: string, command: Decision): Promise<void> {
    const full = { ...command, publicationId, ...this.posts.get(publicationId)! } as PublicationCommand;
    await this.done(this.schedule.on.streams.run(publication, publicationId, full, this.execution()));
  }

  private async nameOf(postId: string): Promise<string> {
    const event = await this.schedule.on.streams.last(`post-${postId}`);
    return (event!.data as { payload: { text: string } }).payload.text;
  }

  private async done(decided: Promise<{ after: { position: Position } } | { rejection: string }>): Promise<void> {
    const result = await decided;
    if (isRejection(result)) throw new Error(result.rejection);
    const { position } = (result as { after: { position: Position } }).after;
    await this.schedule.on.progress.waitFor(['publish-schedule'], position);
  }

  private execution(): Execution {
    const origin = { actor: 'test', requestId: '', causationId: '', correlationId: '' };
    return { ...origin, commandId: newUuid(), at: this.now };
  }

  private pause(minutes: number) {
    return { type: 'Pause', at: this.now, minutes, minuteMs: MINUTE, source: 'temp-pause', postId: null } as const;
  }

  private id(name: string): string {
    return `${this.name}_${name}`;
  }
}

type Decision = WithoutIds<PublicationCommand>;
type WithoutIds<C> = C extends unknown ? Omit<C, 'publicationId' | 'postId' | 'channelId'> : never;
