// More than 20 s: processes are started and killed.
import { fork } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BEGINNING, type StoredEvent } from '../../../src/event-store/port.js';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { archiveFilesIn } from '../../../src/uploads/archive-files.js';
import type { FileStore } from '../../../src/uploads/file-store.js';
import { FolderStore } from '../../../src/uploads/folder-store.js';
import { S3Store } from '../../../src/uploads/s3-store.js';
import { startS3StandIn } from '../../../stand-ins/s3/s3-stand-in.js';
import { startTestPostgres } from '../../support/postgres.js';

const LOADER = new URL('../../support/typescript-loader.js', import.meta.url).href;
const SCRIPT = fileURLToPath(new URL('./archive-process.ts', import.meta.url));
const WITHOUT_WARNINGS = { execArgv: ['--import', LOADER], env: { ...process.env, NODE_NO_WARNINGS: '1' } };
const isLong = process.env.TEST_LONG === '1';
const STREAMS = ['post-1', 'publication-1', 'channel-1', 'delivery-1'];

interface Subject {
  readonly settings: object;
  readonly files: FileStore;
  readonly close: () => Promise<unknown>;
}

const openFolder = async (): Promise<Subject> => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-archive-'));
  return {
    settings: { folder },
    files: new FolderStore(folder, 0),
    close: () => rm(folder, { recursive: true }),
  };
};
const openS3 = async (): Promise<Subject> => {
  const server = await startS3StandIn();
  const { url, bucket, accessKeyId, secretAccessKey } = server;
  const settings = {
    bucket,
    prefix: 'here/',
    endpoint: url,
    region: 'us-east-1',
    pathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  };
  return { settings, files: new S3Store(settings), close: () => server.stop() };
};

const eventAt = (at: number) => ({
  id: randomUUID(),
  type: 'Happened',
  data: JSON.stringify({ text: randomUUID() }),
  metadata: JSON.stringify({ at }),
});
const readLog = async (store: PostgresEventStore): Promise<StoredEvent[]> => {
  const all: StoredEvent[] = [];
  for (;;) {
    const page = await store.readAll({ after: all.at(-1)?.position ?? BEGINNING, limit: 40 });
    all.push(...page.filter(({ stream }) => stream !== 'archive-history'));
    if (page.length < 40) return all;
  }
};

it.each([
  ['a folder', openFolder, isLong ? 60 : 6],
  ['S3', openS3, isLong ? 40 : 3], // its client takes seconds to load
] as const)(
  'loses and repeats nothing when it is killed at random moments, beside appends, in %s',
  async (_, open, kills) => {
    const postgres = await startTestPostgres({ migrated: true });
    const { settings, files, close } = await open();
    const store = new PostgresEventStore({
      connectionString: postgres.connectionString,
      openArchive: async () => archiveFilesIn(files),
    });
    try {
      const revisions = new Map<string, bigint>();
      const written: string[] = [];
      const append = async (at: number): Promise<void> => {
        const stream = STREAMS[randomInt(STREAMS.length)]!;
        const event = eventAt(at);
        await store.append(stream, revisions.get(stream) ?? 'noStream', [event]);
        revisions.set(stream, (revisions.get(stream) ?? -1n) + 1n);
        written.push(event.id);
      };
      for (let i = 0; i < kills * 20; i++) await append(Date.UTC(2020, 0, 1) + i * 3_600_000);

      for (let kill = 0; kill < kills; kill++) {
        const child = fork(SCRIPT, [postgres.connectionString, JSON.stringify(settings)], WITHOUT_WARNINGS);
        let steps = 0;
        child.on('message', () => void steps++);
        let isOver = false;
        const exit = once(child, 'exit').then(() => (isOver = true));
        while (!isOver && steps < 1 + (kill % 4)) await append(Date.now() + 60_000);
        const until = performance.now() + randomInt(20);
        while (performance.now() < until) await append(Date.now() + 60_000);
        child.kill('SIGKILL');
        await exit;
        expect((await readLog(store)).map(({ id }) => id)).toEqual(written);
        for (const stream of STREAMS)
          expect((await store.readStream(stream)).length).toBe(Number((revisions.get(stream) ?? -1n) + 1n));
      }
      expect(await store.archive.readEnd()).toBeGreaterThan(0n);

      // One that is not killed goes on to the end, and names each file once.
      const last = fork(SCRIPT, [postgres.connectionString, JSON.stringify(settings)], WITHOUT_WARNINGS);
      expect(await once(last, 'exit')).toEqual([0, null]);
      expect((await readLog(store)).map(({ id }) => id)).toEqual(written);
      const named = (await store.readStream('archive-history')).map(({ data }) => data);
      expect(new Set(named).size).toBe(named.length);
      if ('folder' in settings) {
        const found = await readdir(join(settings.folder as string, 'archive'));
        expect(found.filter((name) => !name.endsWith('.partial')).sort()).toEqual(
          named.map((name) => (JSON.parse(name) as string).replace('archive/', '')).sort(),
        );
      }
    } finally {
      await store.close();
      await close();
      await postgres.stop();
    }
  },
  300_000,
);
