import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Infrastructure } from '../../../src/app/infrastructure.js';
import { start } from '../../../src/app/start.js';
import { startWorker } from '../../../src/app/worker.js';
import { createLogger } from '../../../src/config/logger.js';
import { loadSettings } from '../../../src/config/settings.js';
import type { Clock } from '../../../src/kernel/clock.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { StandInControl } from '../../../src/stand-ins/kit/control-client.js';
import { startTelegramStandIn } from '../../../src/stand-ins/telegram/telegram-stand-in.js';
import { until } from '../../e2e/until.js';
import { startTestPostgres } from '../../support/postgres.js';

/** An answer as it came; `body` is what its JSON says. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each route has a body of its own
  readonly body: any;
}

/** A channel and the chat that it stands for. */
export interface TestChannel {
  readonly id: string;
  readonly chatId: string;
}

const OPERATOR_KEY = 'service_operator_http_tests';
/** No limits at all, so that only what is tested refuses. */
const LIMITS_PROFILE = fileURLToPath(new URL('./unlimited.json', import.meta.url));

/** The gateway as it is composed, on a real PostgreSQL, posting to a Telegram stand-in. */
export class TestGateway {
  private chats = 0;

  private constructor(
    readonly url: string,
    readonly telegram: StandInControl,
    private readonly on: Infrastructure,
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * @param env settings; pauses' minutes last 60 s where MINUTE_MS is not given
   * @param clock that the worker goes by, in place of the machine's
   */
  static async start(env: Readonly<Record<string, string>> = {}, clock?: Clock): Promise<TestGateway> {
    const folder = await mkdtemp(join(tmpdir(), 'crosspost-http-'));
    const { connectionString, stop: stopPostgres } = await startTestPostgres();
    const standIn = await startTelegramStandIn({ port: 0, ledgerFile: join(folder, 'telegram.jsonl') });
    const settings = loadSettings({
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: connectionString,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      OPERATOR_KEY,
      LIMITS_PROFILE,
      PACING: 'off',
      LEASE_SECONDS: '3',
      TELEGRAM_API_URL: standIn.url,
      ...(clock && { ROLES: 'api' }),
      ...env,
    });
    const logger = createLogger({ logLevel: 'error' });
    const running = await start(settings, logger);
    const { infrastructure, networks } = running;
    const stopWorker = clock && (await startWorker(settings, infrastructure, networks.urls, logger, { clock }));
    const control = new StandInControl(standIn.url);
    return new TestGateway(running.settings.baseUrl, control, running.infrastructure, async () => {
      await stopWorker?.();
      await running.stop();
      await standIn.stop();
      await stopPostgres();
      await rm(folder, { recursive: true, force: true });
    });
  }

  async call(method: string, path: string, init: { body?: string; headers?: Record<string, string> } = {}) {
    const answer = await fetch(this.url + path, { method, ...init });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: JSON.parse(text) } as Answer;
  }

  /** A management call of the operator's that must succeed; answers its body. */
  async manage(method: string, path: string, body?: object): Promise<Answer['body']> {
    const headers = {
      authorization: `Bearer ${OPERATOR_KEY}`,
      ...(body && { 'content-type': 'application/json' }),
    };
    const answer = await this.call(method, `/manage/v1${path}`, {
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async owner(plan = 'business'): Promise<string> {
    return (await this.manage('POST', '/owners', { name: 'Ada', plan })).id;
  }

  async channel(owner_id: string, name = 'Channel'): Promise<TestChannel> {
    const chatId = `-100${1_000_000 + ++this.chats}`;
    const credentials = { bot_token: `1000:${'t'.repeat(35)}`, chat_id: chatId };
    const { id } = await this.manage('POST', '/channels', { owner_id, platform: 'telegram', name, credentials });
    return { id, chatId };
  }

  async project(owner_id: string, channels: readonly { readonly id: string }[], name = 'Project'): Promise<string> {
    const channel_ids = channels.map(({ id }) => id);
    return (await this.manage('POST', '/projects', { owner_id, name, channel_ids })).id;
  }

  /** @param settings more of what POST /endpoints takes */
  async endpoint(owner_id: string, project_ids: readonly string[], settings: object = {}): Promise<TestEndpoint> {
    const draft = { owner_id, project_ids, mode: 'live', min_interval: 0, ...settings };
    const { id, slug, token, signing_secret } = await this.manage('POST', '/endpoints', draft);
    return new TestEndpoint(this, { id, slug, token, secret: signing_secret });
  }

  /** Of the gateway's own database. */
  get pool(): Infrastructure['pool'] {
    return this.on.pool;
  }

  /** To carry commands out beside the gateway. */
  get streams(): Infrastructure['streams'] {
    return this.on.streams;
  }

  /** A stream's events, as they are stored. */
  async events(stream: string): Promise<RecordedEvent[]> {
    return (await this.on.store.readStream(stream)).map((event) => this.on.codec.decode(event));
  }

  /** Every event there is. */
  async allEvents(): Promise<RecordedEvent[]> {
    const all = await this.on.store.readAll({ after: -1n, limit: 100_000 });
    return all.map((event) => this.on.codec.decode(event));
  }

  /** Waits until a chat's readers see a text. */
  async settle(chatId: string, text: string): Promise<void> {
    await until(`"${text}" in ${chatId}`, async () => (await this.wall(chatId)).includes(text));
  }

  /** Texts in a chat, in the order in which readers see them. */
  async wall(chatId: string): Promise<string[]> {
    return (await this.telegram.ledger({ channel: chatId })).map(({ text }) => text);
  }
}

/** An endpoint as its client uses it. */
export class TestEndpoint {
  readonly id: string;
  readonly slug: string;
  readonly token: string;
  readonly secret: string;

  constructor(
    private readonly gateway: TestGateway,
    made: { id: string; slug: string; token: string; secret: string },
  ) {
    ({ id: this.id, slug: this.slug, token: this.token, secret: this.secret } = made);
  }

  /** POST to the endpoint. @param route `''` to publish, `temp-pause`, `temp-resume` */
  post(route: string, body: object | string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.gateway.call('POST', `/v1/webhooks/${this.slug}${route && `/${route}`}`, {
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  info(headers: Record<string, string> = {}): Promise<Answer> {
    const authorization = `Bearer ${this.token}`;
    return this.gateway.call('GET', `/v1/webhooks/${this.slug}/info`, { headers: { authorization, ...headers } });
  }

  sandbox(body: object | string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.gateway.call('POST', '/v1/sandbox/test', {
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }
}
