import { join } from 'node:path';
import type { Running } from '../../../src/app/start.js';
import { startTelegramStandIn } from '../../../stand-ins/telegram/telegram-stand-in.js';
import { EventStream } from '../../support/event-stream.js';
import { TestEnvironment } from '../../support/test-environment.js';

const OPERATOR = 'operator-key-of-the-tests';

/** A key that one process issues, replaces or revokes is one for every process, as soon as the answer is there. */
describe('keys in a second process', () => {
  let environment: TestEnvironment<{ telegram: Awaited<ReturnType<typeof startTelegramStandIn>> }>;
  let first: Running;
  let second: Running;
  beforeAll(async () => {
    environment = await TestEnvironment.start({
      startNetworks: async (folder) => ({
        telegram: await startTelegramStandIn({ port: 0, ledgerFile: join(folder, 'telegram.jsonl') }),
      }),
      operatorKey: OPERATOR,
      env: { LEASE_SECONDS: '60' },
    });
    first = await environment.startProcess();
    second = await environment.startProcess({ roles: 'api' });
  });
  afterAll(() => environment.stop());

  const call = async (process: Running, key: string, method: string, path: string, body?: object) => {
    const answer = await fetch(`${process.settings.baseUrl}/manage/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  };
  const statusOf = async (process: Running, key: string) => (await call(process, key, 'GET', '/me')).status;
  const createOwner = async () =>
    (await call(first, OPERATOR, 'POST', '/owners', { name: 'Ada', plan: 'business' })).body as {
      readonly id: string;
      readonly key: string;
    };
  const issue = async (key: string) =>
    (await call(first, key, 'POST', '/keys', { name: 'Anna', scopes: ['read'] })).body as {
      readonly id: string;
      readonly key: string;
    };

  it('work, and are replaced with and without an overlap', async () => {
    const owner = await createOwner();
    const anna = await issue(owner.key);
    expect(await statusOf(second, anna.key)).toBe(200);
    const rotate = async (key: string, body: object) =>
      (await call(first, owner.key, 'POST', `/keys/${key}/rotate`, body)).body.key as string;
    const next = await rotate(anna.id, { overlap_minutes: 60 });
    expect(await Promise.all([anna.key, next].map((key) => statusOf(second, key)))).toEqual([200, 200]);
    const last = await rotate(anna.id, {});
    expect(await Promise.all([anna.key, next, last].map((key) => statusOf(second, key)))).toEqual([401, 401, 200]);
  });

  it('work no more when they are revoked, and the main key when it is replaced; open streams end', async () => {
    const owner = await createOwner();
    const anna = await issue(owner.key);
    const open = (key: string) => EventStream.open(`${second.settings.baseUrl}/manage/v1/stream`, key);
    const streams = [await open(anna.key), await open(owner.key)];
    expect((await call(first, owner.key, 'DELETE', `/keys/${anna.id}`)).status).toBe(204);
    expect(await statusOf(second, anna.key)).toBe(401);
    const { body } = await call(first, OPERATOR, 'POST', `/owners/${owner.id}/rotate-key`, {});
    expect(await Promise.all([owner.key, body.key].map((key) => statusOf(second, key)))).toEqual([401, 200]);
    for (const stream of streams) {
      await stream.waitForEnd();
      expect(stream.events.at(-1)).toMatchObject({ event: 'bye', data: { reason: 'key_revoked' } });
    }
  });
});
