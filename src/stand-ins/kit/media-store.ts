import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerMedium } from './ledger-entry.js';
import type { UploadedFile } from './uploaded-file.js';

/** MIME types by file extension. A wall offers files of other types as downloads. */
export const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['jpg', 'image/jpeg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['ogg', 'audio/ogg'],
]);

/** Stores uploaded files next to the ledger, named by hash, so that a wall can show them after a restart. */
export class MediaStore {
  constructor(readonly folder: string) {}

  /** Stores a file unless it is too large, and describes it for the ledger. */
  async storeFile(type: string, { name, size, hash, bytes }: UploadedFile, mime: string): Promise<LedgerMedium> {
    const described = { type, url: null, mime, bytes: size, name, hash };
    if (!bytes) return { ...described, file: null };
    const [extension = 'bin'] = [...MEDIA_TYPES].find(([, known]) => known === mime) ?? [];
    const file = `${hash}.${extension}`;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(join(this.folder, file), bytes, { mode: 0o600 });
    return { ...described, file };
  }
}
