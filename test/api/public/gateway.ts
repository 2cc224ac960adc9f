import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Infrastructure } from '../../../src/app/infrastructure.js';
import type { Overrides } from '../../../src/app/process-options.js';
import type { Clock } from '../../../src/kernel/clock.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { startTelegramStandIn } from '../../../stand-ins/telegram/telegram-stand-in.js';
import { until } from '../../e2e/until.js';
import { StandInControl } from '../../support/stand-in-control.js';
import { TestEnvironment } from '../../support/test-environment.js';

/** An answer; `body` is its parsed JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each route has its own body
  readonly body: any;
}

/** A channel and its chat. */
export interface TestChannel {
  readonly id: string;
  readonly chatId: string;
}

/** Key of the operator. */
export const OPERATOR_KEY = 'service_operator_http_tests';

const BUSY: ReadonlySet<unknown> = new Set(['views_behind', 'unavailable']);

/** The complete gateway on a real PostgreSQL, publishing to a Telegram stand-in. */
export class TestGateway {
  private chats = 0;

  private constructor(
    readonly url: string,
    readonly telegram: StandInControl,
    readonly infrastructure: Infrastructure,
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * @param env settings; a pause's minute lasts 60 s unless MINUTE_MS is given
   * @param clock replaces the machine's clock in the worker
   * @param overrides replaced parts of the API process
   */
  static async start(
    env: Readonly<Record<string, string>> = {},
    clock?: Clock,
    overrides: Overrides = {},
  ): Promise<TestGateway> {
    const environment = await TestEnvironment.start({
      startNetworks: async (folder) => ({
        telegram: await startTelegramStandIn({ port: 0, ledgerFile: join(folder, 'telegram.jsonl') }),
      }),
      operatorKey: OPERATOR_KEY,
      env: { LEASE_SECONDS: '60', ...env },
    });
    const { settings, infrastructure } = await environment.startProcess({
      ...overrides,
      ...(clock && { roles: 'api' }),
    });
    if (clock) await environment.startProcess({ roles: 'worker', clock });
    const control = new StandInControl(environment.networks.telegram.url);
    return new TestGateway(settings.baseUrl, control, infrastructure, () => environment.stop());
  }

  async call(method: string, path: string, init: { body?: string; headers?: Record<string, string> } = {}) {
    const answer = await fetch(this.url + path, { method, ...init });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) } as Answer;
  }

  /** Makes a management call as the operator. */
  callManagement(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const own = { authorization: `Bearer ${OPERATOR_KEY}`, ...(body && { 'content-type': 'application/json' }) };
    const init = { headers: { ...own, ...headers }, ...(body && { body: JSON.stringify(body) }) };
    return this.call(method, `/manage/v1${path}`, init);
  }

  /** Makes a management call as the operator, which must succeed; returns the answer's body. */
  async manage(method: string, path: string, body?: object): Promise<Answer['body']> {
    const key = { 'idempotency-key': randomUUID() };
    const call = () => this.callManagement(method, path, body, method === 'GET' ? {} : key);
    let answer = await call();
    // On a busy machine read models or the database may be late; the answer says to repeat the request.
    for (let n = 0; n < 20 && BUSY.has(answer.body?.code); n++) answer = await call();
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async createOwner(plan = 'business'): Promise<string> {
    return (await this.manage('POST', '/owners', { name: 'Ada', plan })).id;
  }

  async createChannel(owner_id: string, name = 'Channel'): Promise<TestChannel> {
    const chatId = `-100${1_000_000 + ++this.chats}`;
    const credentials = { bot_token: `1000:${'t'.repeat(35)}`, chat_id: chatId };
    const { id } = await this.manage('POST', '/channels', { owner_id, platform: 'telegram', name, credentials });
    return { id, chatId };
  }

  async createProject(
    owner_id: string,
    channels: readonly { readonly id: string }[],
    name = 'Project',
  ): Promise<string> {
    const channel_ids = channels.map(({ id }) => id);
    return (await this.manage('POST', '/projects', { owner_id, name, channel_ids })).id;
  }

  /** @param settings more fields of POST /endpoints */
  async createEndpoint(owner_id: string, project_ids: readonly string[], settings: object = {}): Promise<TestEndpoint> {
    const body = { owner_id, project_ids, mode: 'live', min_interval: 0, ...settings };
    const { id, slug, token, signing_secret } = await this.manage('POST', '/endpoints', body);
    return new TestEndpoint(this, { id, slug, token, secret: signing_secret });
  }

  /** The pool of the gateway's own database. */
  get pool(): Infrastructure['pool'] {
    return this.infrastructure.pool;
  }

  /** The aggregate store, for executing commands without the API. */
  get aggregates(): Infrastructure['aggregates'] {
    return this.infrastructure.aggregates;
  }

  /** Finds the event that accepted a post. */
  async findPostPlace(postId: string): Promise<{ readonly stream: string; readonly revision: string } | undefined> {
    return (await this.pool.query('select stream, revision from posts.post where post_id = $1', [postId])).rows[0];
  }

  /** Reads the events of a stream. */
  async readEvents(stream: string): Promise<RecordedEvent[]> {
    return (await this.infrastructure.store.readStream(stream)).map((event) => this.infrastructure.codec.decode(event));
  }

  /** Reads all events of the store. */
  async readAllEvents(): Promise<RecordedEvent[]> {
    const all = await this.infrastructure.store.readAll({ after: -1n, limit: 100_000 });
    return all.map((event) => this.infrastructure.codec.decode(event));
  }

  /** Waits until a text is published in a chat. */
  async waitForText(chatId: string, text: string): Promise<void> {
    await until(`"${text}" in ${chatId}`, async () => (await this.readWall(chatId)).includes(text));
  }

  /** Reads the texts in a chat, in the order of publication. */
  async readWall(chatId: string): Promise<string[]> {
    return (await this.telegram.readLedger({ channel: chatId })).map(({ text }) => text);
  }
}

/** A client's view of an endpoint. */
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

  /** Sends a POST to the endpoint. @param route `''` to publish, `temp-pause`, `temp-resume` */
  post(route: string, body: object | string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', route, body, headers);
  }

  /** Sends a request with a body. */
  send(
    method: 'POST' | 'PUT',
    route: string,
    body: object | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.gateway.call(method, `/v1/webhooks/${this.slug}${route && `/${route}`}`, {
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  info(headers: Record<string, string> = {}): Promise<Answer> {
    const authorization = `Bearer ${this.token}`;
    return this.gateway.call('GET', `/v1/webhooks/${this.slug}/info`, { headers: { authorization, ...headers } });
  }

  /** Reads the state of a post (D-48). */
  readPost(id: string, headers: Record<string, string> = {}): Promise<Answer> {
    const authorization = `Bearer ${this.token}`;
    return this.gateway.call('GET', `/v1/webhooks/${this.slug}/posts/${id}`, {
      headers: { authorization, ...headers },
    });
  }

  /** Lists posts (D-65). @param query with its question mark */
  listPosts(query = '', headers: Record<string, string> = {}): Promise<Answer> {
    const authorization = `Bearer ${this.token}`;
    return this.gateway.call('GET', `/v1/webhooks/${this.slug}/posts${query}`, {
      headers: { authorization, ...headers },
    });
  }

  sandbox(body: object | string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.gateway.call('POST', '/v1/sandbox/test', {
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }
}
