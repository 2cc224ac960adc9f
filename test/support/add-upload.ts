import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { newCommandContext } from '../../src/commands/command.js';
import { media } from '../../src/domain/media/media.decider.js';
import type { UploadedFacts } from '../../src/domain/media/media.events.js';
import type { AggregateStore } from '../../src/event-store/aggregate-store.js';
import { FolderStore } from '../../src/uploads/folder-store.js';

/** An uploaded file. */
export interface TestUpload {
  readonly id: string;
  readonly bytes: Buffer;
  /** Name in the store. */
  readonly file: string;
  readonly delete: () => Promise<void>;
}

const PNG = { type: 'photo', mime: 'image/png', extension: 'png' } as const;

/** Uploads a file for an owner without an HTTP request. @param as facts about the file; by default, those of a PNG */
export const addUpload = async (
  aggregates: AggregateStore,
  folder: string,
  ownerId: string,
  bytes: Buffer,
  as: Partial<UploadedFacts> & { readonly filename?: string } = {},
  at: number = Date.now(),
): Promise<TestUpload> => {
  const id = `med_${randomUUID().replaceAll('-', '')}`;
  const file = `${ownerId}/${randomBytes(16).toString('hex')}`;
  await new FolderStore(folder, 0).write(file, Readable.from([bytes]), new AbortController().signal);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const facts = { ...PNG, width: 10, height: 10, durationSeconds: null, filename: null, ...as };
  const address = randomBytes(16).toString('base64url');
  const upload = { ...facts, bytes: bytes.length, sha256, mediaId: id, ownerId, address, file, uploadedAt: at };
  const origin = { actor: 'operator', requestId: '', correlationId: '', clientAddress: null } as const;
  const context = () => newCommandContext({ ...origin, causationId: randomUUID() }, 'test', at);
  await aggregates.execute(media, id, { type: 'UploadMedia', mediaId: id, upload, missingFile: null }, context());
  const remove = async () => {
    await aggregates.execute(media, id, { type: 'DeleteMedia', mediaId: id, reason: 'requested' }, context());
  };
  return { id, bytes, file, delete: remove };
};
