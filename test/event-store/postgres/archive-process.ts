/**
 * Process that archives until it is killed, as a worker does, with an event for each file:
 * `archive-process.ts <connection string> <settings of the store in JSON>`.
 */
import { randomUUID } from 'node:crypto';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { archiveFilesIn } from '../../../src/uploads/archive-files.js';
import { FolderStore } from '../../../src/uploads/folder-store.js';
import { S3Store } from '../../../src/uploads/s3-store.js';

const [connectionString = '', settings = ''] = process.argv.slice(2);
const files = JSON.parse(settings) as { readonly folder: string } | ConstructorParameters<typeof S3Store>[0];
const uploads = 'folder' in files ? new FolderStore(files.folder, 0) : new S3Store(files);
const store = new PostgresEventStore({
  connectionString,
  openArchive: async () => archiveFilesIn(uploads),
  maxArchivedEvents: 5,
});

for (;;) {
  const file = await store.archive.pack(Date.now());
  if (!file) break;
  await store.archive.store(file);
  const [last] = await store.readStream('archive-history', { direction: 'backwards', limit: 1 });
  if (last?.data !== JSON.stringify(file.name)) {
    const event = { id: randomUUID(), type: 'Named', data: JSON.stringify(file.name), metadata: '{}' };
    await store.append('archive-history', last?.revision ?? 'noStream', [event]);
  }
  process.send!('named');
  await store.archive.move(file);
  process.send!('moved');
}
process.exit(0);
