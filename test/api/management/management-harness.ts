import { join } from 'node:path';
import request, { type Test } from 'supertest';
import type { Running } from '../../../src/app/start.js';
import { startTelegramStandIn } from '../../../stand-ins/telegram/telegram-stand-in.js';
import { until } from '../../e2e/until.js';
import { StandInControl } from '../../support/stand-in-control.js';
import { TestEnvironment, type TestProcess } from '../../support/test-environment.js';

export const OPERATOR_KEY = 'operator-key-of-the-tests';

/** A gateway in this process, called over real HTTP, with its own PostgreSQL and Telegram's stand-in. */
export interface ManagementHarness {
  readonly running: Running;
  readonly url: string;
  readonly telegram: StandInControl;
  readonly telegramUrl: string;
  stop(): Promise<void>;
}

/** Starts a gateway. @param env more settings, by name */
export const startHarness = async (
  env: Readonly<Record<string, string>> = {},
  overrides: TestProcess = {},
): Promise<ManagementHarness> => {
  const environment = await TestEnvironment.start({
    startNetworks: async (folder) => ({
      telegram: await startTelegramStandIn({ port: 0, ledgerFile: join(folder, 'telegram.jsonl') }),
    }),
    operatorKey: OPERATOR_KEY,
    env: { LIMITS_PROFILE: 'A', ...env },
  });
  const running = await environment.startProcess(overrides);
  // A process of role `api` may be ready before the first worker has created the read models.
  await until('the read models exist', async () => {
    const { status } = await request(running.settings.baseUrl)
      .get('/manage/v1/posts')
      .set('authorization', `Bearer ${OPERATOR_KEY}`);
    return status === 200;
  });
  return {
    running,
    url: running.settings.baseUrl,
    telegram: new StandInControl(environment.networks.telegram.url),
    telegramUrl: environment.networks.telegram.url,
    stop: () => environment.stop(),
  };
};

/** Waits until a read model shows all events of the log. Its readers wait for it too, but only for a short time. */
export const catchUp = async ({ running }: ManagementHarness, readModel: string): Promise<void> => {
  const { progress, store } = running.infrastructure;
  const head = await store.readHead();
  await until(`${readModel} has caught up`, () => progress.waitFor([readModel], head));
};

/** A caller of the management API with one API key. */
export class Caller {
  constructor(
    readonly harness: ManagementHarness,
    readonly key: string,
  ) {}

  get(path: string): Test {
    return this.call('get', path);
  }

  post(path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Test {
    return this.call('post', path).set(headers).send(body);
  }

  put(path: string, body?: object): Test {
    return this.call('put', path).send(body);
  }

  patch(path: string, body?: object): Test {
    return this.call('patch', path).send(body);
  }

  delete(path: string): Test {
    return this.call('delete', path);
  }

  private call(method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string): Test {
    return request(this.harness.url)[method](`/manage/v1${path}`).set('authorization', `Bearer ${this.key}`);
  }
}

export const operatorCaller = (harness: ManagementHarness): Caller => new Caller(harness, OPERATOR_KEY);

/** An owner and a caller with its API key. */
export interface TestOwner {
  readonly id: string;
  readonly caller: Caller;
}

export const createOwner = async (harness: ManagementHarness, plan = 'business'): Promise<TestOwner> => {
  const { body } = await operatorCaller(harness).post('/owners', { name: 'Acme', plan }).expect(201);
  return { id: body.id, caller: new Caller(harness, body.key) };
};

let chatCount = 0;

/** Creates a channel on Telegram, in a new chat. */
export const createChannel = async ({ caller }: TestOwner, name = 'News'): Promise<{ id: string; chatId: string }> => {
  const chatId = String(-1_000_000 - ++chatCount);
  const credentials = { bot_token: '1:test-token', chat_id: chatId };
  const { body } = await caller.post('/channels', { platform: 'telegram', name, credentials }).expect(201);
  return { id: body.id, chatId };
};

export const createProject = async (
  { caller }: TestOwner,
  channel_ids: readonly string[],
  name = 'News',
): Promise<string> => {
  const { body } = await caller.post('/projects', { name, channel_ids }).expect(201);
  return body.id;
};

/** An endpoint as the response to its creation shows it. */
export interface CreatedEndpoint {
  readonly id: string;
  readonly slug: string;
  readonly token: string;
}

export const createEndpoint = async (
  { caller }: TestOwner,
  project_ids: readonly string[],
  more: object = {},
): Promise<CreatedEndpoint> => {
  const { body } = await caller.post('/endpoints', { project_ids, mode: 'live', min_interval: 1, ...more }).expect(201);
  return body;
};

/** Sends a post to an endpoint and returns the post's id. */
export const sendPost = async (
  harness: ManagementHarness,
  { slug, token }: CreatedEndpoint,
  payload: object,
): Promise<string> => {
  const { body } = await request(harness.url)
    .post(`/v1/webhooks/${slug}`)
    .set('authorization', `Bearer ${token}`)
    .send(payload)
    .expect(200);
  return body.id;
};
