import type { Logger } from 'pino';
import { newCommandContext } from '../../../src/commands/command.js';
import { LargePayloads } from '../../../src/commands/post/large-payloads.js';
import { PlannedPosts } from '../../../src/commands/post/planned-posts.js';
import { PostChanges } from '../../../src/commands/post/post-changes.js';
import type { UploadHolds } from '../../../src/commands/post/upload-holds.js';
import type { PostAccepted } from '../../../src/domain/post/post.events.js';
import { ErasureNotes } from '../../../src/erasure/erasure-notes.js';
import { AggregateStore, emptyAggregate } from '../../../src/event-store/aggregate-store.js';
import { iso } from '../../../src/kernel/clock.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { newId, newUuid } from '../../../src/kernel/ids.js';
import { createPool } from '../../../src/postgres/pool.js';
import { ProjectionRunner } from '../../../src/projections/engine/runner.js';
import { plannedPosts } from '../../../src/projections/planned-posts/planned-posts.projection.js';
import { PlannedPostQueries } from '../../../src/projections/planned-posts/planned-posts.queries.js';
import { PostPayloads } from '../../../src/projections/posts/post-payloads.js';
import { FailingWork } from '../../../src/runtime/failing-work.js';
import { ReleasePlannedPosts, SetAsidePosts } from '../../../src/sagas/release-planned-posts/release-planned-posts.js';
import { until } from '../../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/two-workers.js';
import { type KillPoint, WorkerKilled } from '../publish-due-posts/kill-points.js';
import { CrashingStore } from './crashing-store.js';

/** Kinds of changes. */
export const KINDS = ['now', 'move', 'replace', 'large', 'cancel'] as const;
export type Kind = (typeof KINDS)[number];

/** A planned post of a test. */
export interface PlannedInTest {
  readonly postId: string;
  readonly stream: string;
  readonly revision: string;
  /** Its place in the order of acceptance. */
  readonly number: number;
  readonly text: string;
  /** The text that a change puts in place of the first one. */
  readonly newText: string;
}

const PROJECTS = [
  {
    project_id: 'prj_1',
    channels: ['a', 'b'].map((id) => ({ channel_id: `tgt_${id}`, platform: 'telegram', enabled: true })),
  },
] as const;
const AUTHOR = { isManager: false, requiresApproval: false };
const VIEW = plannedPosts.name;

/**
 * Plans, changes and releases posts on a real PostgreSQL, in processes that may be killed, without HTTP and networks.
 */
export class ReleaseBench {
  /** The clock of all processes. Only the test moves it. */
  now = Date.UTC(2026, 10, 27, 12);
  private count = 0;

  private constructor(
    private readonly processes: TwoProcesses,
    private readonly log: Logger,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(log: Logger): Promise<ReleaseBench> {
    const processes = await startTwoProcesses('60');
    const [on] = processes.on;
    const pool = createPool(on.connectionString, { max: 1, applicationName: 'projection', logger: log });
    const stopping = new AbortController();
    const running = new ProjectionRunner(plannedPosts, { ...on, pool, log }).run(stopping.signal);
    return new ReleaseBench(processes, log, async () => {
      stopping.abort();
      await running;
      await pool.end();
      await processes.stop();
    });
  }

  /** Accepts a post with two targets. */
  async plan(publishAt: number, ownerId = 'own_1'): Promise<PlannedInTest> {
    const number = ++this.count;
    const [postId, text] = [newId('post'), `first text of ${number}`];
    const stream = `post-${postId}`;
    const targets = PROJECTS[0].channels.map(({ channel_id }) => ({
      publicationId: newId('pub'),
      channelId: channel_id,
      platform: 'telegram',
      projectId: 'prj_1',
    }));
    const data = {
      postId,
      acceptedAt: this.now,
      endpointId: 'ep_1',
      ownerId,
      key: null,
      externalId: null,
      traceId: null,
      bodyHash: '',
      payload: { text, publish_at: iso(publishAt) },
      parts: null,
      targets,
      request: { ip: '127.0.0.1', userAgent: null, route: 'publish', payloadBytes: 100, latencyMs: 0 },
      plan: { publishAt, requiresApproval: false, isReleased: false },
    } satisfies PostAccepted['data'] as PostAccepted['data'];
    const { aggregates } = this.on;
    const events = [{ type: 'PostAccepted', data }] as const;
    const encoded = await aggregates.encodeEvents(
      stream,
      events,
      emptyAggregate({ initial: null }),
      this.contextOf('accept'),
    );
    await aggregates.appendWithRetry(stream, -1n, encoded.events);
    return { postId, stream, revision: '0', number, text, newText: `new text of ${number}` };
  }

  /** Changes a post in its own process. @returns true if the process was killed */
  async change(post: PlannedInTest, kind: Kind, kill: KillPoint | null): Promise<boolean> {
    return (await this.runChange(post, kind, kill)).isDead;
  }

  /** Changes a post, and returns the steps of the change. */
  async traceChange(post: PlannedInTest, kind: Kind): Promise<readonly string[]> {
    return (await this.runChange(post, kind, null)).trace;
  }

  /** Starts a process that releases posts. Its lease is always granted, so that several of them compete. */
  startSaga(kill: KillPoint | null) {
    const { pool, progress, notifications } = this.on;
    const store = new CrashingStore(this.on.store, kill);
    const opened = store.open();
    const stopping = new AbortController();
    const never = new AbortController().signal;
    const lease = { name: 'test', lost: never, release: () => Promise.resolve() };
    const saga = new ReleasePlannedPosts(
      new PlannedPostQueries(pool),
      new PlannedPosts(new AggregateStore(opened, this.on.codec)),
      opened,
      progress,
      { acquire: () => Promise.resolve(lease), failingWork: new FailingWork() } as never,
      notifications,
      { now: () => this.now },
      this.log,
      () => undefined,
      new SetAsidePosts(),
    );
    const running = saga.run(stopping.signal);
    return Object.assign(store, {
      stop: async () => {
        stopping.abort();
        await running;
      },
    });
  }

  /**
   * Waits until the read model is up to date and shows no due post, or until a process that releases posts is killed.
   */
  async untilNothingIsDue(saga: { readonly isDead: boolean } = { isDead: false }): Promise<void> {
    const { progress, store, pool } = this.on;
    const queue = new PlannedPostQueries(pool);
    await until('nothing is due', async () => {
      if (saga.isDead) return true;
      if (!(await progress.waitFor([VIEW], await store.readHead()))) return false;
      return ((await queue.findNextDue()) ?? Infinity) > this.now;
    });
  }

  /** Reads the streams in which a type of event stands, in the order of the log. */
  async readStreamsOf(type: string): Promise<readonly string[]> {
    const streams: string[] = [];
    for (let after = -1n; ;) {
      const page = await this.on.store.readAll({ after, types: [type], limit: 1_000 });
      if (page.length === 0) return streams;
      streams.push(...page.map(({ stream }) => stream));
      after = page.at(-1)!.position;
    }
  }

  async readEvents({ stream }: PlannedInTest): Promise<readonly RecordedEvent[]> {
    return (await this.on.store.readStream(stream)).map((event) => this.on.codec.decode(event));
  }

  /** Reads what a worker would publish. */
  readPost({ stream }: PlannedInTest, release: bigint) {
    return new PostPayloads(this.on.store, this.on.codec).readPost(stream, String(release));
  }

  private async runChange(post: PlannedInTest, kind: Kind, kill: KillPoint | null): Promise<CrashingStore> {
    const store = new CrashingStore(this.on.store, kill);
    const aggregates = new AggregateStore(store.open(), this.on.codec);
    const clock = { now: () => this.now };
    const large = new LargePayloads(aggregates, new ErasureNotes(this.on.pool), clock);
    const changes = new PostChanges(new PlannedPosts(aggregates), large, {} as UploadHolds, clock);
    const [context, author] = [this.contextOf(newUuid()), { author: AUTHOR, ifRevision: null }];
    const later = this.now + 100;
    const replacement = (more: object) => ({
      payload: { text: post.newText, publish_at: iso(later), ...more },
      projects: PROJECTS,
      channelIds: ['tgt_b'],
    });
    const act = () => {
      switch (kind) {
        case 'now':
          return changes.reschedule(post, null, author, context);
        case 'move':
          return changes.reschedule(post, later, author, context);
        case 'replace':
          return changes.replace(post, replacement({}), author, context);
        case 'large':
          return changes.replace(post, replacement({ metadata: { filler: 'x'.repeat(700_000) } }), author, context);
        case 'cancel':
          return changes.cancel(post, null, context);
      }
    };
    await act().catch((error: unknown) => {
      if (!(error instanceof WorkerKilled)) throw error;
    });
    return store;
  }

  private contextOf(commandId: string) {
    const origin = { actor: 'endpoint:ep_1', requestId: '', causationId: '', correlationId: '', clientAddress: null };
    return newCommandContext(origin, commandId, this.now);
  }

  private get on() {
    return this.processes.on[0];
  }
}
