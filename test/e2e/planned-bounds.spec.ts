// More than 20 s: a process gets a clock that is wrong, little memory, or kills, while many posts are released.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { catalogue } from '../../src/domain/catalogue.js';
import { AggregateStore } from '../../src/event-store/aggregate-store.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { BEGINNING, type EventStore } from '../../src/event-store/port.js';
import { appendOldRevisions } from '../support/old-revisions.js';
import { postIdOf, publish } from './client.js';
import { createManagementClient, type E2eHarness, e2eTest } from './e2e-harness.js';
import { startSharedServers } from './gateway-processes.js';
import type { Endpoint } from './management-client.js';
import { until } from './until.js';

/** Sets the system clock of a process an hour ahead. */
const AHEAD = `
  const { Date: Real } = globalThis;
  globalThis.Date = class Date extends Real {
    constructor(...parts) { if (parts.length === 0) super(Real.now() + 3_600_000); else super(...parts); }
    static now() { return Real.now() + 3_600_000; }
  };`;

const plan = async (url: string, endpoint: Endpoint, text: string, publishAt: number): Promise<string> => {
  const payload = { text, publish_at: new Date(publishAt).toISOString() };
  const answer = await publish(url, endpoint, payload, { 'idempotency-key': text });
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { state: 'planned' }]);
  return postIdOf(answer);
};

const readReleased = async (store: EventStore): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let after = BEGINNING; ;) {
    const page = await store.readAll({ after, types: ['PostReleased'], limit: 1_000 });
    if (page.length === 0) return ids;
    ids.push(...page.map(({ data }) => (JSON.parse(data) as { postId: string }).postId));
    after = page.at(-1)!.position;
  }
};

const createAheadFile = async (harness: E2eHarness): Promise<string> => {
  const file = join(await harness.createFolder(), 'ahead.mjs');
  await writeFile(file, AHEAD);
  return file;
};

e2eTest('processes whose clock is an hour ahead release nothing early (D-79)', async (harness) => {
  const { telegram, start } = await startSharedServers(harness);
  const NODE_OPTIONS = `--import=${await createAheadFile(harness)}`;
  const [api] = await Promise.all([start('api', { NODE_OPTIONS }), start('worker', { NODE_OPTIONS })]);
  const manage = createManagementClient(api);
  const { endpoints, channels } = await manage.seed(1, [[0]]);
  const dueAt = Date.now() + 4_000;
  const inHalfAnHour = await plan(api.url, endpoints[0]!, 'in half an hour', Date.now() + 1_800_000);
  await plan(api.url, endpoints[0]!, 'soon', dueAt);
  await until('the post is published', async () => {
    const wall = await telegram.control.readLedger({ channel: channels[0]!.chatId });
    expect(wall.every(({ text }) => text === 'soon')).toBe(true);
    return wall.length > 0;
  });
  expect(Date.now()).toBeGreaterThanOrEqual(dueAt);
  const { publications } = await manage.findPost(inHalfAnHour);
  expect(publications.map(({ state }) => state)).toEqual(['planned']);
});

const HEAVY = { posts: 40, revisions: 100, text: 'x'.repeat(60_000) };
e2eTest('a worker with little memory releases posts with many large revisions from former times', async (harness) => {
  const { telegram, start, database } = await startSharedServers(harness);
  const api = await start('api');
  const starting = await start('worker');
  const manage = createManagementClient(api);
  const { endpoints, channels } = await manage.seed(1, [[0]]);
  const store = await harness.openEventStore(database);
  const aggregates = new AggregateStore(store, new EventCodec(catalogue));
  const dueAt = Date.now() + 600_000;
  const ids: string[] = [];
  for (let n = 0; n < HEAVY.posts; n++) ids.push(await plan(api.url, endpoints[0]!, `first ${n}`, dueAt));
  const accepted = (await store.readAll({ after: BEGINNING, types: ['PostAccepted'], limit: 1_000 })).map(
    ({ stream, revision, data }) => ({
      postId: (JSON.parse(data) as { postId: string }).postId,
      stream,
      revision: String(revision),
    }),
  );
  for (const [n, place] of accepted.entries()) {
    const texts = Array.from({ length: HEAVY.revisions }, (_, i) => `${n} ${i} ${HEAVY.text}`);
    await appendOldRevisions(aggregates, place, dueAt, texts);
  }
  // The memory that read models need to catch up is another question.
  const client = new Client({ connectionString: database.DATABASE_URL });
  await client.connect();
  const head = await store.readHead();
  await until('the read models have caught up', async () => {
    const { rows } = await client.query<{ at: string }>('select min(position)::text as at from ops_checkpoint');
    return BigInt(rows[0]!.at) >= head;
  });
  await client.end();
  await starting.program.terminate();
  // The last text has the usual length, so that it fits into a message.
  const now = Date.now();
  for (const [n, place] of accepted.entries()) await appendOldRevisions(aggregates, place, now, [`last ${n}`]);
  const worker = await start('worker', { NODE_OPTIONS: '--max-old-space-size=256' });
  let hasEnded = false;
  void worker.program.exited.then(() => (hasEnded = true));
  await until('all are published', async () => {
    if (hasEnded) throw new Error('the worker has ended');
    return (await telegram.control.readLedger({ channel: channels[0]!.chatId })).length === HEAVY.posts;
  });
  const wall = await telegram.control.readLedger({ channel: channels[0]!.chatId });
  expect(wall.map(({ text }) => text)).toEqual(ids.map((_, n) => `last ${n}`));
  expect(hasEnded).toBe(false);
});

const MANY = 1_200;
const KILLS = 2;
e2eTest(
  `${MANY} posts for one moment are released once and in order by workers that are killed meanwhile`,
  async (harness) => {
    const { telegram, start, database } = await startSharedServers(harness, { LEASE_SECONDS: '10' });
    const [api, first] = await Promise.all([start('api'), start('worker')]);
    let worker = first;
    const manage = createManagementClient(api);
    const { endpoints, channels } = await manage.seed(2, [[0, 1]]);
    const store = await harness.openEventStore(database);
    const dueAt = Date.now() + MANY * 25 + 5_000;
    const ids: string[] = [];
    for (let n = 0; n < MANY; n++) ids.push(await plan(api.url, endpoints[0]!, `post ${n}`, dueAt));
    const releasedAtKills: number[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      const most = (MANY * kill) / (KILLS + 1);
      await until('some are released', async () => (await readReleased(store)).length >= most - MANY / 4);
      await worker.program.killAll();
      releasedAtKills.push((await readReleased(store)).length);
      worker = await start('worker');
    }
    expect(releasedAtKills[0]).toBeLessThan(MANY);
    await until('all are over', async () => {
      const counts = await Promise.all(channels.map(({ id }) => manage.listReceipts(id)));
      return counts.every(
        (all) => all.filter(({ state }) => ['published', 'in_doubt'].includes(state)).length === MANY,
      );
    });
    expect(await readReleased(store)).toEqual(ids);
    for (const { id, chatId } of channels) {
      const receipts = await manage.listReceipts(id);
      expect(receipts.map(({ post_id }) => post_id)).toEqual(ids);
      const wall = (await telegram.control.readLedger({ channel: chatId })).map(({ text }) => text);
      expect(new Set(wall).size).toBe(wall.length);
      const doubtful = receipts.filter(({ state }) => state === 'in_doubt').length;
      expect(doubtful).toBeLessThanOrEqual(KILLS);
      expect(wall.length).toBeGreaterThanOrEqual(MANY - doubtful);
    }
  },
);
