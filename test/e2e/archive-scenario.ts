// A gateway that publishes in past months, by a clock that is set back, and then archives them (D-101).
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startS3StandIn } from '../../stand-ins/s3/s3-stand-in.js';
import { computeHash, type EventJson, verifyInclusion } from '../history/webcrypto-verifier.js';
import { backUpDatabase, type DatabaseBackup } from '../support/database-backup.js';
import type { Gateway } from '../support/gateway-process.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { postIdOf, type SentPost } from './client.js';
import type { E2eHarness, Network } from './e2e-harness.js';
import { sendPost } from './gateway-processes.js';
import { type Channel, type Endpoint, ManagementClient, OPERATOR_KEY } from './management-client.js';
import type { Random } from './random.js';
import { until } from './until.js';

type Settings = Readonly<Record<string, string>>;

/** Where archived files are. */
interface FileStore {
  readonly settings: Settings;
  /** Names of the complete files, in order. */
  readonly list: () => Promise<readonly string[]>;
  readonly write: (name: string) => Promise<unknown>;
}

const CONTENT = 'of a database that was restored to a moment before it';

export const FILE_STORES = {
  folder: async (harness: E2eHarness): Promise<FileStore> => {
    const folder = await harness.createFolder();
    const write = async (name: string) => {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), CONTENT);
    };
    const list = async () => {
      const names = await readdir(join(folder, 'archive')).catch(() => []);
      return names.flatMap((name) => (name.endsWith('.partial') ? [] : [`archive/${name}`])).sort();
    };
    return { settings: { MEDIA_STORE: folder }, list, write };
  },

  s3: async (harness: E2eHarness): Promise<FileStore> => {
    const server = await startS3StandIn();
    harness.addCleanup(() => server.stop());
    const { url, bucket, accessKeyId, secretAccessKey, objects } = server;
    const settings = {
      MEDIA_STORE: `s3://${bucket}/here`,
      MEDIA_S3_ENDPOINT: url,
      MEDIA_S3_ACCESS_KEY_ID: accessKeyId,
      MEDIA_S3_SECRET_ACCESS_KEY: secretAccessKey,
    };
    const list = async () =>
      [...objects.keys()].flatMap((key) => (key.startsWith('here/archive/') ? [key.slice(5)] : [])).sort();
    const write = async (name: string) => objects.set(`here/${name}`, { bytes: Buffer.from(CONTENT), at: Date.now() });
    return { settings, list, write };
  },
};

const DAY_MS = 86_400_000;
const POSTS_A_MONTH = 3;
const now = new Date();
const startOf = (monthsAgo: number): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo);

/** Returns when a month began. */
export const firstOf = (monthsAgo: number): string => new Date(startOf(monthsAgo)).toISOString();

/** Returns a script that shifts a process's clock by the ms in a file, because ids and events hold the time. */
const clockOf = (file: string): string => `
  import { readFileSync } from 'node:fs';
  const { Date: Real } = globalThis;
  let ahead = 0;
  const read = () => {
    const text = readFileSync(${JSON.stringify(file)}, 'utf8');
    if (text !== '') ahead = Number(text);
  };
  read();
  setInterval(read, 10).unref();
  globalThis.Date = class Date extends Real {
    constructor(...parts) { if (parts.length === 0) super(Real.now() + ahead); else super(...parts); }
    static now() { return Real.now() + ahead; }
  };`;

interface Job {
  readonly state: string;
  readonly result: Readonly<Record<string, unknown>> | null;
}

/** A gateway with posts of past months, on the first channel, with webhooks. */
export class ArchiveScenario {
  private gateway: Gateway | null = null;
  private backup: DatabaseBackup | null = null;
  private readonly old: SentPost[] = [];
  private deliveryIds: readonly string[] = [];
  readonly manage = new ManagementClient(() => this.url);
  channels: readonly Channel[] = [];
  endpoints: readonly Endpoint[] = [];

  private constructor(
    private readonly harness: E2eHarness,
    readonly telegram: Network,
    private readonly settings: Settings & { readonly DATABASE_URL: string },
  ) {}

  /**
   * Publishes posts as if in each of the past months, then stops the gateway.
   * @param options.backUpAfter number of months after which the database is copied
   */
  static async publishMonths(
    harness: E2eHarness,
    months: number,
    settings: Settings,
    { backUpAfter = Infinity } = {},
  ): Promise<ArchiveScenario> {
    const telegram = await harness.startTelegram();
    const receiver = await WebhookReceiver.start();
    harness.addCleanup(() => receiver.close());
    const scenario = new ArchiveScenario(harness, telegram, {
      ...(await harness.createDatabase()),
      DATA_DIR: await harness.createFolder(),
      TELEGRAM_API_URL: telegram.url,
      MINUTE_MS: '60',
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
      ...settings,
    });
    await scenario.live(months, receiver.url, backUpAfter);
    return scenario;
  }

  private async live(months: number, receiverUrl: string, backUpAfter: number): Promise<void> {
    const folder = await this.harness.createFolder();
    const [file, script] = [join(folder, 'ahead'), join(folder, 'clock.mjs')];
    await writeFile(script, clockOf(file));
    const goTo = (monthsAgo: number) => writeFile(file, String(startOf(monthsAgo) + 14 * DAY_MS - Date.now()));
    await goTo(months);
    await this.start({ NODE_OPTIONS: `--import=${script}` });
    const { manage } = this;
    ({ channels: this.channels, endpoints: this.endpoints } = await manage.seed(3, [[0], [1], [1, 2]]));
    const { items: projects } = await manage.get<{ items: { id: string; name: string }[] }>('/projects');
    const project_id = projects.find(({ name }) => name === 'Project 0')!.id;
    const kinds = ['post.published', 'publication.succeeded'];
    const output = await manage.post<{ id: string }>('/webhook-outputs', { project_id, url: receiverUrl, kinds });
    for (let month = months; month > 0; month--) {
      await goTo(month);
      await sleep(100); // the process has read it
      for (let n = 0; n < POSTS_A_MONTH; n++)
        this.old.push(await sendPost(this.url, this.endpoints[0]!, `${month} months ago, post ${n}`));
      await until('all are published and delivered', async () => {
        const path = `/webhook-outputs/${output.id}/deliveries?limit=200`;
        const { items } = await manage.get<{ items: { id: string; state: string }[] }>(path);
        this.deliveryIds = items.map(({ id }) => id);
        return items.filter(({ state }) => state === 'delivered').length === 2 * this.old.length;
      });
      if (months - month + 1 === backUpAfter) {
        this.backup = await backUpDatabase(this.settings.DATABASE_URL);
        this.harness.addCleanup(() => this.backup!.drop());
      }
    }
    await this.gateway!.program.terminate();
  }

  get url(): string {
    return `http://127.0.0.1:${this.settings.PORT}`;
  }

  /** Ids of the posts of past months. */
  get posts(): readonly string[] {
    return this.old.map(({ answer }) => postIdOf(answer));
  }

  async start(more: Settings = {}): Promise<void> {
    this.gateway = await this.harness.startGateway({ ...this.settings, ...more });
  }

  async kill(): Promise<void> {
    await this.gateway!.program.killAll();
  }

  async restore(): Promise<void> {
    await this.backup!.restore();
  }

  waitForJob(id: string): Promise<Job['result']> {
    return until(`${id} has ended`, async () => {
      const { state, result } = await this.manage.get<Job>(`/jobs/${id}`);
      if (state === 'failed') throw new Error(JSON.stringify(result));
      return state === 'done' && result;
    });
  }

  async isArchiving(): Promise<boolean> {
    const { items } = await this.manage.get<{ items: { kind: string }[] }>('/jobs?state=running');
    return items.some(({ kind }) => kind === 'archive-history');
  }

  /** Returns what /readyz says of the archive. */
  async readProblem(): Promise<string | null> {
    const report = await (await fetch(`${this.url}/readyz`)).json();
    const { degraded } = report as { degraded: { name: string; reason: string }[] };
    return degraded.find(({ name }) => name === 'archive')?.reason ?? null;
  }

  private read(path: string, key = OPERATOR_KEY): Promise<Response> {
    return fetch(this.url + path, { headers: { authorization: `Bearer ${key}` } });
  }

  /** Reads all that the gateway answers about posts and their history. */
  async readAnswers(posts = this.posts): Promise<Record<string, string>> {
    const answers: Record<string, string> = {};
    for (const id of posts) {
      const [publication] = (await until(id, () => this.manage.findPost(id))).publications;
      const manage = [
        `posts/${id}`,
        `publications/${publication!.id}`,
        `history/post/${id}?at=${firstOf(-1)}`,
        `history/publication/${publication!.id}?at=${firstOf(-1)}`,
        `history/trace/${id}`,
        `history/events?aggregate=post&id=${id}`,
      ].map((path) => `/manage/v1/${path}`);
      for (const path of [...manage, `${this.endpoints[0]!.path}/posts/${id}`]) answers[path] = await this.ask(path);
    }
    if (posts.length === this.posts.length)
      for (const id of this.deliveryIds)
        answers[`/manage/v1/deliveries/${id}`] = await this.ask(`/manage/v1/deliveries/${id}`);
    return answers;
  }

  private ask(path: string): Promise<string> {
    return until(path, async () => {
      const answer = await this.read(path, this.keyFor(path));
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${answer.status} ${text}`);
      return text;
    });
  }

  private keyFor(path: string): string {
    return path.startsWith('/manage/') ? OPERATOR_KEY : this.endpoints[0]!.token;
  }

  /**
   * Asks again and again, also while the gateway is down, and expects the same answers.
   * @returns number of answers
   */
  async keepReading(expected: Record<string, string>, random: Random, isOver: () => boolean): Promise<number> {
    const paths = Object.keys(expected);
    let answers = 0;
    while (!isOver()) {
      const path = paths[random.below(paths.length)]!;
      const answer = await this.read(path, this.keyFor(path))
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => null);
      if (answer && answer.status !== 503) {
        expect({ path, ...answer }).toEqual({ path, status: 200, text: expected[path] });
        answers += 1;
      }
      await sleep(answer ? 5 : 50);
    }
    return answers;
  }

  /** Reads the lines of the export, except the last, which says that the export is complete. */
  async readExport(): Promise<readonly string[]> {
    const text = await this.ask('/manage/v1/history/export');
    return text.trimEnd().split('\n').slice(0, -1);
  }

  /** Verifies that the transparency log has the first event of each post. */
  async expectProofs(): Promise<void> {
    const { vkey } = await this.manage.get<{ vkey: string }>('/history/log/key');
    for (const id of this.posts) {
      const { events } = await this.manage.get<{ events: EventJson[] }>(`/history/post/${id}`);
      const [event] = events;
      expect(await computeHash(event!, '')).toBe(event!.hash);
      await verifyInclusion(event!, await this.ask(`/manage/v1/history/log/proof/${event!.id}`), vkey);
    }
  }

  /** Expects that all posts of past months are in the files, that each was named once, and that the tables let go of them. */
  async expectArchived(files: readonly string[]): Promise<void> {
    const client = new Client({ connectionString: this.settings.DATABASE_URL });
    await client.connect();
    try {
      const { rows } = await client.query(
        `select
           (select json_agg(file order by file) from event_store.archived_file) as known,
           (select json_agg(f order by f) from (
             select data::json ->> 'file' as f from event_store.event where type = 'HistoryArchived') e) as named,
           (select count(*)::int from event_store.event where stream ~ '^(post|publication|delivery)-'
             and position <= (select max(last_position) from event_store.archived_file)) as events,
           (select count(*)::int from posts.post where accepted_at < $1) as posts,
           (select count(*)::int from webhook_deliveries.delivery) as deliveries`,
        [startOf(0)],
      );
      expect(rows).toEqual([{ known: files, named: files, events: 0, posts: 0, deliveries: 0 }]);
    } finally {
      await client.end();
    }
  }

  /** Expects that readers see each post of the past months once, in order. */
  async expectPublishedOnce(): Promise<void> {
    const wall = await this.telegram.control.readLedger({ channel: this.channels[0]!.chatId });
    expect(wall.map(({ text }) => text)).toEqual(this.old.map(({ key }) => key));
  }
}
