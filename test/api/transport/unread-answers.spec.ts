import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestMemory } from '../../../src/api/transport/body-reader.js';
import { until } from '../../e2e/until.js';
import { UNLIMITED } from '../../support/test-environment.js';
import {
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from '../management/management-harness.js';
import { PublishingSetup } from '../management/publishing-setup.js';

const WAITS = { waiting: 10, waitMs: 1_000 };
const MANY = { ...WAITS, bytes: 50_000_000, bytesPerHolder: 50_000_000 };
/**
 * Room for three unread pages of about 4 MB, two of them for one owner: bytes already in memory may take up to twice
 * the limits.
 */
const answers = { ...WAITS, bytes: 6_500_000, bytesPerHolder: 4_500_000 };

describe('large answers that clients do not read', () => {
  const memory = new RequestMemory({ bodies: MANY, work: MANY, answers });
  let harness: ManagementHarness;
  let owner: TestOwner;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE: UNLIMITED }, { requestMemory: memory });
    const setup = await PublishingSetup.create(harness);
    ({ owner } = setup);
    for (let n = 0; n < 64; n++) await setup.sendPost({ text: `${n}`, metadata: { filler: 'x'.repeat(64_000) } });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await harness?.stop();
  });

  /** Requests a page three times and reads nothing: a connection's buffers can hold one page of 4 MB but not two. */
  const askWithoutReading = (key: string): void => {
    const { hostname, port } = new URL(harness.url);
    const socket = connect(Number(port), hostname).pause();
    sockets.push(socket.on('error', () => undefined));
    const request = `GET /manage/v1/posts?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    socket.write(request.repeat(3));
  };

  it('take memory up to a bound for each owner, and give it back', async () => {
    const { caller } = owner;
    await until(
      'all posts are listed',
      async () => (await caller.get('/posts?limit=100').expect(200)).text.length > 3_500_000,
    );
    await until('what was read counts no more', () => memory.answers.usedBytes === 0);

    for (let n = 0; n < 6; n++) askWithoutReading(caller.key);
    // A page that fits into its connection's buffers counts only briefly.
    await until('two pages stay held', async () => {
      let polls = 0;
      for (; polls < 50 && memory.answers.usedBytes > 7_000_000; polls++) await sleep(20);
      return polls === 50;
    });
    const { body, headers } = await caller.get('/posts?limit=100').expect(503);
    expect(body).toMatchObject({ ok: false, code: 'too_many_large_answers' });
    expect(headers['retry-after']).toBe('5');
    expect(memory.answers.usedBytes).toBeLessThan(9_000_000);

    // Small answers, and answers to other callers, are not affected.
    await caller.get('/posts?limit=1').expect(200);
    const other = await createOwner(harness);
    await other.caller.get('/posts?limit=100').expect(200);
    await operatorCaller(harness).get('/posts?limit=100').expect(200);

    for (const socket of sockets) socket.destroy();
    await until('nothing is held', () => memory.answers.usedBytes === 0);
    await caller.get('/posts?limit=100').expect(200);
  });
});
