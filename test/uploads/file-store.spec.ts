import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  FileGone,
  type FileStore,
  type StoredItem,
  StoreFull,
  StoreUnavailable,
} from '../../src/uploads/file-store.js';
import { FolderStore } from '../../src/uploads/folder-store.js';
import { S3Store } from '../../src/uploads/s3-store.js';
import { type S3StandIn, startS3StandIn } from '../../stand-ins/s3/s3-stand-in.js';

interface Subject {
  readonly store: FileStore;
  /** Puts something into the store that is not of this gateway. */
  readonly addForeign: (name: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const openFolder = async (): Promise<Subject> => {
  const folder = await mkdtemp(join(tmpdir(), 'uploads-'));
  return {
    store: new FolderStore(folder),
    addForeign: async (name) => {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), 'foreign');
    },
    stop: () => rm(folder, { recursive: true }),
  };
};

const settingsOf = ({ url, bucket, accessKeyId, secretAccessKey }: S3StandIn, prefix = 'some/where/') => ({
  bucket,
  prefix,
  endpoint: url,
  region: 'us-east-1',
  pathStyle: true,
  credentials: { accessKeyId, secretAccessKey },
});

const openS3 = async (): Promise<Subject> => {
  const server = await startS3StandIn();
  const store = new S3Store(settingsOf(server));
  return {
    store,
    addForeign: (name) => {
      server.objects.set(`some/where/${name}`, { bytes: Buffer.from('foreign'), at: Date.now() });
      return Promise.resolve();
    },
    stop: async () => {
      await store.close();
      await server.stop();
      expect(server.refused).toEqual([]);
    },
  };
};

const OWNER = `own_${'0'.repeat(31)}1`;
const nameFile = (): string => `${OWNER}/${randomBytes(16).toString('hex')}`;
const never = new AbortController().signal;
const chunksOf = (bytes: Buffer, size = 65_536): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size)),
  );
const listAll = async (store: FileStore): Promise<StoredItem[]> => {
  const items: StoredItem[] = [];
  for await (const item of store.list()) items.push(item);
  return items;
};

describe.each<[string, () => Promise<Subject>]>([
  ['a folder', openFolder],
  ['S3', openS3],
])('a store of files in %s', (_, open) => {
  let subject: Subject;
  let store: FileStore;
  beforeAll(async () => {
    subject = await open();
    ({ store } = subject);
    await store.writeMark('mark');
  });
  afterAll(() => subject.stop());

  it.each([0, 1, 70_000, 5 * 1_048_576, 12 * 1_048_576 + 1])('returns a file of %d bytes as it was', async (size) => {
    const bytes = randomBytes(size);
    const file = nameFile();
    await store.write(file, chunksOf(bytes), never);
    expect(await store.sizeOf(file)).toBe(size);
    expect((await buffer(await store.read(file, null))).equals(bytes)).toBe(true);
    if (size < 100) return;
    const range = await buffer(await store.read(file, { start: 10, end: 42 }));
    expect(range.equals(bytes.subarray(10, 43))).toBe(true);
  });

  it('has no file before all of it was written, and nothing after a failure', async () => {
    const file = nameFile();
    const broken = Readable.from(
      (async function* () {
        yield randomBytes(6 * 1_048_576);
        expect(await store.sizeOf(file)).toBeNull();
        throw new RangeError('the client is gone');
      })(),
    );
    await expect(store.write(file, broken, never)).rejects.toThrow(RangeError);
    expect(await store.sizeOf(file)).toBeNull();
    expect((await listAll(store)).filter((item) => item.file === file)).toEqual([]);
  });

  it('stops at a signal', async () => {
    const file = nameFile();
    const stop = new AbortController();
    const endless = Readable.from(
      (async function* () {
        for (let i = 0; ; i++) {
          if (i === 8) stop.abort(new RangeError('stopped'));
          yield randomBytes(1_048_576);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      })(),
    );
    await expect(store.write(file, endless, stop.signal)).rejects.toThrow('stopped');
    expect(await store.sizeOf(file)).toBeNull();
  });

  it('does not have a file that was removed, or never was', async () => {
    const file = nameFile();
    await store.write(file, chunksOf(randomBytes(10)), never);
    await store.remove(file);
    await store.remove(file);
    expect(await store.sizeOf(file)).toBeNull();
    await expect(store.read(file, null)).rejects.toThrow(FileGone);
  });

  it('lists its files and nothing else', async () => {
    const files = [nameFile(), nameFile()];
    for (const file of files) await store.write(file, chunksOf(randomBytes(10)), never);
    await subject.addForeign('holiday.jpg');
    await subject.addForeign(`${OWNER}/holiday.jpg`);
    const items = await listAll(store);
    expect(items.map(({ file }) => file)).toEqual(expect.arrayContaining(files));
    expect(items.filter(({ file }) => file.includes('holiday'))).toEqual([]);
    for (const { modifiedAt } of items) expect(Math.abs(Date.now() - modifiedAt)).toBeLessThan(600_000);
    await items.find(({ file }) => file === files[0])!.remove();
    expect(await store.sizeOf(files[0]!)).toBeNull();
  });

  it('refuses names that are not its own', async () => {
    for (const name of ['../secret', `${OWNER}/../x`, 'own_1/2', ''])
      await expect(store.read(name, null)).rejects.toThrow('not a name of a file');
  });

  it('keeps a mark', async () => {
    await store.writeMark('another');
    expect(await store.readMark()).toBe('another');
    await store.check();
  });
});

describe('a folder', () => {
  it('takes no file if its disk is nearly full, and none that fills it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'uploads-'));
    const store = new FolderStore(folder, Number.MAX_SAFE_INTEGER);
    const file = nameFile();
    await expect(store.check()).rejects.toThrow(StoreFull);
    await expect(store.write(file, chunksOf(randomBytes(10)), never)).rejects.toThrow(StoreFull);
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('is unavailable while it is not mounted, and its files are not gone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'uploads-'));
    const store = new FolderStore(folder, 0);
    await store.writeMark('mark');
    const file = nameFile();
    await store.write(file, chunksOf(randomBytes(10)), never);
    await rename(folder, `${folder}-away`);
    for (const attempt of [
      () => store.check(),
      () => store.write(nameFile(), chunksOf(randomBytes(10)), never),
      () => store.read(file, null),
      () => store.sizeOf(file),
    ])
      await expect(attempt()).rejects.toThrow(StoreUnavailable);
    await rename(`${folder}-away`, folder);
    expect(await store.sizeOf(file)).toBe(10);
    await rm(folder, { recursive: true });
  });

  it('lists what a killed process left as unfinished', async () => {
    const { store, addForeign, stop } = await openFolder();
    const file = nameFile();
    await addForeign(`${file}.partial`);
    const [item] = await listAll(store);
    expect(item).toMatchObject({ file, isComplete: false });
    await item!.remove();
    expect(await listAll(store)).toEqual([]);
    await stop();
  });
});

describe('S3', () => {
  let server: S3StandIn;
  let store: S3Store;
  beforeEach(async () => {
    server = await startS3StandIn();
    store = new S3Store(settingsOf(server), { connectMs: 1_000, idleMs: 1_000 });
  });
  afterEach(async () => {
    await store.close();
    await server.stop();
  });

  it('is unavailable while it answers 503, is slow, or is down', async () => {
    const attempt = () => store.write(nameFile(), chunksOf(randomBytes(100)), never);
    for (const fault of [{ status: 503 }, { delayMs: 5_000 }]) {
      server.fault = fault;
      await expect(attempt()).rejects.toThrow(StoreUnavailable);
      await expect(store.check()).rejects.toThrow(StoreUnavailable);
    }
    server.fault = {};
    await attempt();
    server.fault = { status: 507 };
    await expect(attempt()).rejects.toThrow(StoreFull);
    await server.stop();
    await expect(store.sizeOf(nameFile())).rejects.toThrow(StoreUnavailable);
  });

  it('fails a download that breaks off', async () => {
    const file = nameFile();
    await store.write(file, chunksOf(randomBytes(200_000)), never);
    server.fault = { cutAfter: 50_000 };
    await expect(buffer(await store.read(file, null))).rejects.toThrow();
  });

  it('lists and removes unfinished uploads of its prefix', async () => {
    const file = nameFile();
    server.uploads.set('u1', { key: `some/where/${file}`, at: Date.now(), parts: new Map() });
    server.uploads.set('u2', { key: `elsewhere/${file}`, at: Date.now(), parts: new Map() });
    const items = await listAll(store);
    expect(items).toMatchObject([{ file, isComplete: false }]);
    await items[0]!.remove();
    await items[0]!.remove();
    expect([...server.uploads.keys()]).toEqual(['u2']);
  });

  it('lists more files than fit on a page', async () => {
    for (let i = 0; i < 1_005; i++) server.objects.set(`some/where/${nameFile()}`, { bytes: Buffer.alloc(1), at: 0 });
    expect(await listAll(store)).toHaveLength(1_005);
  });

  it('refuses a wrong secret', async () => {
    const wrong = new S3Store({
      ...settingsOf(server),
      credentials: { accessKeyId: server.accessKeyId, secretAccessKey: 'x' },
    });
    await expect(wrong.check()).rejects.toThrow(StoreUnavailable);
    await wrong.close();
  });
});
