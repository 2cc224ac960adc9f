/**
 * bench -- growth: measures how many bytes each table grows per post, with posts of 200 characters, each published on
 * one channel and delivered to a webhook output. Sizes are pg_total_relation_size (rows, indexes, TOAST) after a
 * VACUUM, before and after. The last line compares the sum with the bytes that clients sent. Then it archives
 * everything, makes the read models let go of it, and measures the tables again, and the files.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { PostgresEventStore } from '../dist/event-store/postgres/postgres-event-store.js';
import { tableSchema } from '../dist/projections/engine/projection.js';
import { posts as postsModel } from '../dist/projections/posts/posts.projection.js';
import { webhookDeliveries } from '../dist/projections/webhook-deliveries/webhook-deliveries.projection.js';
import { archiveFilesIn } from '../dist/uploads/archive-files.js';
import { FolderStore } from '../dist/uploads/folder-store.js';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { until } from './publishing.js';
import { seed, unlimitedProfile } from './seed.js';

const CONCURRENT_POSTS = 16;
const WARM_UP = 100;

export const run = async (args) => {
  const posts = readOption(args, 'posts', 3_000);
  const channels = readOption(args, 'channels', 20);
  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn();
    const receiver = createServer((request, response) =>
      request.resume().on('end', () => response.writeHead(204).end()),
    );
    await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    environment.onEnd(() => new Promise((resolve) => receiver.close(resolve).closeAllConnections()));
    const gateway = await environment.startGateway({
      TELEGRAM_API_URL: network.url,
      PACING: 'off',
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    });
    const endpoints = await seed(gateway.url, OPERATOR_KEY, { endpoints: channels, channels });
    for (const { projectId } of endpoints)
      await manage(gateway, '/webhook-outputs', {
        project_id: projectId,
        url: `http://127.0.0.1:${receiver.address().port}/`,
      });
    const db = new pg.Client({ connectionString: environment.connectionString });
    await db.connect();
    environment.onEnd(() => db.end());

    let sent = 0;
    const send = async (count) => {
      const end = sent + count;
      const sendNext = async () => {
        while (sent < end) await post(gateway, endpoints[sent % endpoints.length], sent++);
      };
      await Promise.all(Array.from({ length: CONCURRENT_POSTS }, sendNext));
      await until(async () => (await countDelivered(db)) === end);
      await until(async () => await isLevel(db));
      await db.query('vacuum');
      return readSizes(db);
    };
    const before = await send(WARM_UP);
    const after = await send(posts);
    const grown = [...after]
      .map(([table, bytes]) => [table, (bytes - (before.get(table) ?? 0)) / posts])
      .filter(([, bytes]) => bytes >= 1)
      .sort(([, a], [, b]) => b - a);
    const total = grown.reduce((sum, [, bytes]) => sum + bytes, 0);
    console.log(`bytes per post, ${posts} posts on ${channels} channels, one target and one delivery each`);
    for (const [table, bytes] of grown) console.log(`${String(Math.round(bytes)).padStart(7)}  ${table}`);
    console.log(
      `${String(Math.round(total)).padStart(7)}  all: ${(total / BODY_BYTES).toFixed(2)} × what clients sent`,
    );
    await gateway.stop();
    const files = await archive(environment.connectionString);
    await letGo(db);
    await db.query('vacuum full');
    const left = await readSizes(db);
    const count = posts + WARM_UP;
    console.log(`bytes per post once all of it is archived: ${Math.round(files / count)} in files`);
    for (const [table, bytes] of left)
      if (/^(event_store|(posts|webhook_deliveries)_v\d+)\./.test(table) && bytes / count >= 1)
        console.log(`${String(Math.round(bytes / count)).padStart(7)}  ${table}`);
  });
};

/** Archives all events. Returns the size of the files, in bytes. */
const archive = async (connectionString) => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-growth-'));
  const openArchive = async () => archiveFilesIn(new FolderStore(folder, 0));
  const store = new PostgresEventStore({ connectionString, openArchive });
  try {
    for (let file; (file = await store.archive.pack(Infinity));) {
      await store.archive.store(file);
      await store.archive.move(file);
    }
    const names = await readdir(join(folder, 'archive'));
    const stats = await Promise.all(names.map((name) => stat(join(folder, 'archive', name))));
    return stats.reduce((sum, { size }) => sum + size, 0);
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
};

/** Makes read models let go of all posts. */
const letGo = async (db) => {
  for (const { name, letGo: apply } of [postsModel, webhookDeliveries]) {
    // In a new database, the first tables of every read model are in use.
    await db.query(`set search_path to ${tableSchema(name, 1)}, public`);
    await apply(db, { before: Date.now(), position: '9223372036854775807' });
  }
  await db.query('reset search_path');
};

const bodyOf = (n) =>
  JSON.stringify({
    text: `${String(n).padStart(8, '0')} ${'What happened today, in one line. '.repeat(6)}`.slice(0, 200),
  });
const BODY_BYTES = Buffer.byteLength(bodyOf(0));

const post = async ({ url }, { path, token }, n) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: bodyOf(n) });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  await response.arrayBuffer();
};

const manage = async ({ url }, path, body) => {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/manage/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
};

const countDelivered = async (db) => {
  const { rows } = await db.query(
    `select count(*)::int as n from webhook_deliveries.delivery where state = 'delivered' and kind = 'post.published'`,
  );
  return rows[0].n;
};

/** True if the read models and the transparency log have reached the end of the event log. */
const isLevel = async (db) => {
  const { rows } = await db.query(
    `select min(position) >= (select max(position) from event_store.event) as level from ops_checkpoint
     where name not like 'saga/%' or name = 'saga/write-transparency-log'`,
  );
  return rows[0].level;
};

const readSizes = async (db) => {
  const { rows } = await db.query(
    `select n.nspname || '.' || c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
};
