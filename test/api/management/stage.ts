import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request, { type Test } from 'supertest';
import { type Running, start } from '../../../src/app/start.js';
import { createLogger } from '../../../src/config/logger.js';
import { loadSettings } from '../../../src/config/settings.js';
import { StandInControl } from '../../../src/stand-ins/kit/control-client.js';
import { startTelegramStandIn } from '../../../src/stand-ins/telegram/telegram-stand-in.js';
import { until } from '../../e2e/until.js';
import { startTestPostgres } from '../../support/postgres.js';

export const OPERATOR_KEY = 'operator-key-of-the-tests';

/** A gateway in this process, over real HTTP, with a PostgreSQL of its own and Telegram's stand-in. */
export interface Stage {
  readonly running: Running;
  readonly url: string;
  readonly telegram: StandInControl;
  stop(): Promise<void>;
}

/** @param env more settings, by their names */
export const startStage = async (env: Readonly<Record<string, string>> = {}): Promise<Stage> => {
  const postgres = await startTestPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-manage-'));
  const logger = createLogger({ logLevel: 'error' });
  const telegram = await startTelegramStandIn({ port: 0, ledgerFile: join(folder, 'telegram.jsonl') });
  const settings = loadSettings({
    PORT: '0',
    DATA_DIR: folder,
    DATABASE_URL: postgres.connectionString,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    OPERATOR_KEY,
    TELEGRAM_API_URL: telegram.url,
    PACING: 'off',
    LOG_LEVEL: 'error',
    ...env,
  });
  const running = await start(settings, logger);
  // A process of role `api` may be up before the first worker has made the read models.
  await until('the read models are there', async () => {
    const { status } = await request(running.settings.baseUrl)
      .get('/manage/v1/posts')
      .set('authorization', `Bearer ${OPERATOR_KEY}`);
    return status === 200;
  });
  return {
    running,
    url: running.settings.baseUrl,
    telegram: new StandInControl(telegram.url),
    async stop() {
      await running.stop();
      await telegram.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** A caller of the management API with one key. */
export class Caller {
  constructor(
    readonly stage: Stage,
    readonly key: string,
  ) {}

  get(path: string): Test {
    return this.call('get', path);
  }

  post(path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Test {
    return this.call('post', path).set(headers).send(body);
  }

  patch(path: string, body?: object): Test {
    return this.call('patch', path).send(body);
  }

  private call(method: 'get' | 'post' | 'patch', path: string): Test {
    return request(this.stage.url)[method](`/manage/v1${path}`).set('authorization', `Bearer ${this.key}`);
  }
}

export const operatorOf = (stage: Stage): Caller => new Caller(stage, OPERATOR_KEY);

/** An owner with its key, and what it has set up. */
export interface Owner {
  readonly id: string;
  readonly caller: Caller;
}

export const newOwner = async (stage: Stage, plan = 'business'): Promise<Owner> => {
  const { body } = await operatorOf(stage).post('/owners', { name: 'Acme', plan }).expect(201);
  return { id: body.id, caller: new Caller(stage, body.key) };
};

let chats = 0;

/** A channel on Telegram, in a chat of its own. */
export const newChannel = async ({ caller }: Owner, name = 'News'): Promise<{ id: string; chatId: string }> => {
  const chatId = String(-1_000_000 - ++chats);
  const credentials = { bot_token: '1:test-token', chat_id: chatId };
  const { body } = await caller.post('/channels', { platform: 'telegram', name, credentials }).expect(201);
  return { id: body.id, chatId };
};

export const newProject = async ({ caller }: Owner, channel_ids: readonly string[], name = 'News'): Promise<string> => {
  const { body } = await caller.post('/projects', { name, channel_ids }).expect(201);
  return body.id;
};

/** An endpoint as it was answered to its creation. */
export interface NewEndpoint {
  readonly id: string;
  readonly slug: string;
  readonly token: string;
}

export const newEndpoint = async (
  { caller }: Owner,
  project_ids: readonly string[],
  more: object = {},
): Promise<NewEndpoint> => {
  const { body } = await caller.post('/endpoints', { project_ids, mode: 'live', min_interval: 1, ...more }).expect(201);
  return body;
};

/** Publishes, and answers the post's id. */
export const publish = async (stage: Stage, { slug, token }: NewEndpoint, payload: object): Promise<string> => {
  const { body } = await request(stage.url)
    .post(`/v1/webhooks/${slug}`)
    .set('authorization', `Bearer ${token}`)
    .send(payload)
    .expect(200);
  return body.id;
};
