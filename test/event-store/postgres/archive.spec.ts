import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Client } from 'pg';
import {
  BEGINNING,
  type NewEvent,
  type PackedFile,
  type ReadStreamOptions,
  StorageFailed,
  type StoredEvent,
  WrongExpectedRevision,
} from '../../../src/event-store/port.js';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { silentLog } from '../../../src/kernel/log.js';
import { ArchiveCheck } from '../../../src/uploads/archive-check.js';
import { archiveFilesIn } from '../../../src/uploads/archive-files.js';
import { FolderStore } from '../../../src/uploads/folder-store.js';
import { until } from '../../e2e/until.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';

const JANUARY = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;
const MARCH = Date.UTC(2026, 2);
const FOLDER = join(tmpdir(), `crosspost-archive-${randomUUID()}`);

let postgres: TestPostgres;
let store: PostgresEventStore;

beforeEach(async () => {
  postgres = await startTestPostgres({ migrated: true });
  await mkdir(FOLDER);
  store = open();
});
afterEach(async () => {
  await store.close();
  await postgres.stop();
  await rm(FOLDER, { recursive: true, force: true });
});

const open = (): PostgresEventStore =>
  new PostgresEventStore({
    connectionString: postgres.connectionString,
    openArchive: async () => archiveFilesIn(new FolderStore(FOLDER, 0)),
    maxArchivedEvents: 7,
  });

let number = 0;
const eventAt = (at: number, type = 'Happened'): NewEvent => ({
  id: randomUUID(),
  type,
  data: JSON.stringify({ text: `„ü“\n${number++}` }),
  metadata: JSON.stringify({ at }),
});

/** Archives a file as the gateway does, without the event that names it. */
const archiveOne = async (before: number, target = store): Promise<PackedFile | null> => {
  const file = await target.archive.pack(before);
  if (file) {
    await target.archive.store(file);
    await target.archive.move(file);
  }
  return file;
};
const archiveAll = async (before: number): Promise<PackedFile[]> => {
  const files: PackedFile[] = [];
  for (let file = await archiveOne(before); file; file = await archiveOne(before)) files.push(file);
  return files;
};

const readLog = async (limit: number, filter = {}): Promise<StoredEvent[]> => {
  const all: StoredEvent[] = [];
  for (;;) {
    const page = await store.readAll({ after: all.at(-1)?.position ?? BEGINNING, limit, ...filter });
    all.push(...page);
    if (page.length < limit) return all;
  }
};
const countRows = async (): Promise<number> => {
  const client = new Client({ connectionString: postgres.connectionString });
  await client.connect();
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from event_store.event');
  await client.end();
  return rows[0]!.n;
};

/** Appends events of streams of many kinds, a day apart, from January on. */
const fill = async (streams: readonly string[]): Promise<void> => {
  const revisions = new Map<string, bigint>();
  for (const [i, stream] of streams.entries()) {
    const revision = revisions.get(stream);
    await store.append(stream, revision ?? 'noStream', [
      eventAt(JANUARY + i * DAY, i % 3 === 0 ? 'Third' : 'Happened'),
    ]);
    revisions.set(stream, (revision ?? -1n) + 1n);
  }
};
const STREAMS = ['post-1', 'publication-1', 'channel-1', 'post-2', 'delivery-1', 'requestLog-1'];
const history = (length: number): string[] => Array.from({ length }, (_, i) => STREAMS[(i * 5 + (i >> 2)) % 6]!);

it('answers every read as before, while events move to files and afterwards', async () => {
  await fill(history(120));
  const all = await readLog(500);
  const reads: readonly ReadStreamOptions[] = [
    {},
    { limit: 1 },
    { from: 5n, limit: 3 },
    { direction: 'backwards' },
    { direction: 'backwards', limit: 1 },
    { direction: 'backwards', from: 6n, limit: 4 },
    { from: 900n },
  ];
  const readEverything = async (): Promise<unknown> => {
    const logs = [];
    for (const limit of [1, 7, 10, 500]) logs.push(await readLog(limit));
    for (const filter of [{ types: ['Third'] }, { except: ['Third'] }]) logs.push(await readLog(4, filter));
    const ofStreams = STREAMS.flatMap((stream) => reads.map((options) => store.readStream(stream, options)));
    const ranges = await Promise.all(
      [3n, 40n, 77n].map((after) => store.readAll({ after, limit: 9, upTo: after + 20n })),
    );
    return [logs, await Promise.all(ofStreams), ranges, await store.readHead(), await store.readLastEvent()];
  };
  const before = await readEverything();
  for (let files = 0; ; files++) {
    const file = await archiveOne(MARCH);
    if (!file) {
      expect(files).toBeGreaterThan(3);
      break;
    }
    expect(await readEverything()).toEqual(before);
  }
  const kept = all.filter(({ stream, metadata }) => {
    const { at } = JSON.parse(metadata) as { at: number };
    return at >= MARCH || /^(channel|requestLog)-/.test(stream);
  });
  expect(await countRows()).toBe(kept.length);

  const followed: StoredEvent[] = [];
  const ended = new AbortController();
  for await (const batch of store.subscribe({ after: BEGINNING, signal: ended.signal })) {
    followed.push(...batch.events);
    if (batch.isLive) ended.abort();
  }
  expect(followed).toEqual(all);
});

it('misses and repeats nothing while another process moves events', async () => {
  await fill(history(150));
  const all = await readLog(500);
  const other = open();
  try {
    let isMoving = true;
    const moving = (async () => {
      while (await archiveOne(Date.UTC(2027, 0), other));
    })().finally(() => (isMoving = false));
    let passes = 0;
    for (; isMoving || passes < 3; passes++) {
      expect(await readLog(1 + (passes % 11))).toEqual(all);
      const streams = await Promise.all(STREAMS.map((stream) => store.readStream(stream)));
      expect(streams.flat().length).toBe(all.length);
    }
    await moving;
  } finally {
    await other.close();
  }
});

it('is the same for random histories', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...STREAMS), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 0, max: 60 }),
      async (streams, days) => {
        const tag = randomUUID().slice(0, 8);
        const named = streams.map((stream) => `${stream}${tag}`);
        await fill(named);
        const before = await Promise.all([...new Set(named)].map((stream) => store.readStream(stream)));
        const log = await readLog(13);
        await archiveAll(JANUARY + days * DAY);
        expect(await Promise.all([...new Set(named)].map((stream) => store.readStream(stream)))).toEqual(before);
        expect(await readLog(11)).toEqual(log);
      },
    ),
    { numRuns: 15 },
  );
});

it('still refuses a second start of a stream, repeats an earlier result, and goes on with a stream', async () => {
  const first = eventAt(JANUARY);
  const result = await store.append('post-1', 'noStream', [first, eventAt(JANUARY)]);
  await store.append('channel-1', 'noStream', [eventAt(JANUARY)]);
  await archiveAll(MARCH);
  await expect(store.append('post-1', 'noStream', [eventAt(MARCH)])).rejects.toEqual(
    new WrongExpectedRevision('post-1', 'noStream', 1n),
  );
  const [one, two] = await store.readStream('post-1');
  const again = [one!, two!].map(({ id, type, data, metadata }) => ({ id, type, data, metadata }));
  expect(await store.append('post-1', 'noStream', again)).toEqual(result);

  const next = eventAt(MARCH);
  await store.append('post-1', 1n, [next]);
  expect((await store.readStream('post-1')).map(({ id }) => id)).toEqual([one!.id, two!.id, next.id]);
  expect((await store.readStream('post-1', { direction: 'backwards', limit: 2 })).map(({ id }) => id)).toEqual([
    next.id,
    two!.id,
  ]);
  await archiveAll(Date.UTC(2026, 5));
  expect((await store.readStream('post-1')).map(({ id }) => id)).toEqual([one!.id, two!.id, next.id]);
});

it('writes one month into a file, in the order of the log, with the exact text', async () => {
  await fill(history(60));
  const files = await archiveAll(MARCH);
  expect(new Set(files.map(({ month }) => month))).toEqual(new Set(['2026-01', '2026-02']));
  expect((await readdir(join(FOLDER, 'archive'))).sort()).toEqual(
    files.map(({ name }) => name.replace('archive/', '')).sort(),
  );
  for (const [i, { first, last }] of files.entries()) {
    expect(last).toBeGreaterThanOrEqual(first);
    if (i > 0) expect(first).toBeGreaterThan(files[i - 1]!.last);
  }
});

it('knows which files are of another history', async () => {
  await fill(history(30));
  await archiveAll(MARCH);
  expect(await store.archive.compare()).toEqual({ unknown: [], missing: [] });
  const other = 'archive/2026-04-0000000000000000400-ab.jsonl.gz';
  await writeFile(join(FOLDER, other), 'of a database that was restored to a moment before it');
  await writeFile(join(FOLDER, 'archive', 'begun.jsonl.gz.partial'), '');
  expect(await store.archive.compare()).toEqual({ unknown: [other], missing: [] });
});

it('is compared with the database at the start, and again while they differ', async () => {
  await fill(history(30));
  const [first, second] = await archiveAll(MARCH);
  const paths = [first!, second!].map(({ name }) => join(FOLDER, name));
  const other = join(FOLDER, 'archive/2026-04-0000000000000000400-ab.jsonl.gz');
  const kept = await Promise.all(paths.map((path) => readFile(path)));
  await store.close();
  store = open();
  await writeFile(other, 'of a database that was restored to a moment before it');
  await rm(paths[0]!);
  let archives = true;
  const check = new ArchiveCheck(store.archive, async () => archives, silentLog, 10);
  const untilIt = (what: RegExp) => until(String(what), () => what.test(check.describe() ?? ''));
  try {
    check.start();
    await sleep(200);
    expect(check.describe()).toBeNull(); // a job may be about to name them
    archives = false;
    await untilIt(/missing or damaged \(1\).*; the database does not know .*\(1\)/);
    await rm(other);
    await writeFile(paths[0]!, kept[0]!);
    await until('all is well', () => check.describe() === null);

    await truncate(paths[1]!, 60);
    await expect(store.readAll({ after: BEGINNING, limit: 50 })).rejects.toBeInstanceOf(StorageFailed);
    expect(check.describe()).toContain(second!.name);
    await writeFile(paths[1]!, kept[1]!);
    await until('all is well', () => check.describe() === null);
  } finally {
    check.stop();
  }
});

it('repeats each step without effect', async () => {
  await fill(history(30));
  const all = await readLog(500);
  const file = (await store.archive.pack(MARCH))!;
  await store.archive.store(file);
  expect((await store.archive.pack(MARCH))!.name).toBe(file.name); // as after a crash
  await store.archive.store(file);
  await store.archive.move(file);
  await store.archive.move(file);
  expect(await readLog(4)).toEqual(all);
});

describe('a damaged file', () => {
  const damages: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
    ['is missing', (path) => rm(path)],
    ['is cut off', (path) => truncate(path, 60)],
    ['has other bytes', async (path) => writeFile(path, (await readFile(path)).fill(7, 30, 40))],
  ];

  it.each(damages)('that %s stops the reads that need it, with its name', async (_, damage) => {
    await fill(history(20));
    const file = (await archiveOne(MARCH))!;
    await store.close();
    store = open();
    await damage(join(FOLDER, file.name));
    const error = await store.readAll({ after: BEGINNING, limit: 10 }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(StorageFailed);
    expect((error as Error).message).toContain(file.name);
    expect(await store.readStream('channel-1')).not.toEqual([]);
    await expect(store.append('channel-2', 'noStream', [eventAt(MARCH)])).resolves.toBeDefined();
  });

  it.each(damages)('that %s removes nothing from the table', async (_, damage) => {
    await fill(history(20));
    const rows = await countRows();
    const file = (await store.archive.pack(MARCH))!;
    await store.archive.store(file);
    await damage(join(FOLDER, file.name));
    await expect(store.archive.move(file)).rejects.toBeInstanceOf(StorageFailed);
    expect(await countRows()).toBe(rows);
  });
});
