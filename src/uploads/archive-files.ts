import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ArchiveFiles, StorageFailed, Unavailable } from '../event-store/port.js';
import { reasonOf } from '../kernel/result.js';
import { FileGone, type FileStore } from './file-store.js';
import { FILE_STORE_MESSAGES } from './messages.js';

/** Time limit of a call, in ms. A file has a few MB. */
const CALL_MS = 60_000;

/** Keeps the archive of the event store beside the uploads (D-101). */
export const archiveFilesIn = (store: FileStore): ArchiveFiles => ({
  async write(name, bytes) {
    await call(name, async () => {
      if ((await store.sizeOf(name)) !== bytes.length)
        await store.write(name, Readable.from([bytes]), AbortSignal.timeout(CALL_MS));
    });
  },
  list: () =>
    call('archive/', async () => {
      const names: string[] = [];
      for await (const { file, isComplete } of store.list('archive')) if (isComplete) names.push(file);
      return names;
    }),
  read: (name) => call(name, async () => buffer(await store.read(name, null, AbortSignal.timeout(CALL_MS)))),
});

const call = async <T>(file: string, start: () => Promise<T>): Promise<T> => {
  try {
    return await start();
  } catch (cause) {
    const message = FILE_STORE_MESSAGES.archive({ file, reason: reasonOf(cause) });
    if (cause instanceof FileGone) throw new StorageFailed('ARCHIVE_MISSING', message, { cause });
    throw new Unavailable(message, { cause });
  }
};
