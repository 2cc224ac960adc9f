import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerMedium } from './ledger.js';
import type { UploadedFile } from './uploaded-file.js';

/** Endings by which the wall serves a file as what it is; anything else is offered as a download. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'video/quicktime': '.mov',
  'video/webm': '.webm',
  'audio/mpeg': '.mp3',
  'audio/mp4': '.m4a',
  'audio/ogg': '.ogg',
};

/** Uploaded files, kept beside the ledger under the hash of their bytes, so that a wall can show them after a restart. */
export class MediaStore {
  constructor(readonly folder: string) {}

  /** Keeps a file, unless it is too large for that, and describes it for the ledger. */
  async keep(type: string, { name, size, hash, bytes }: UploadedFile, mime: string): Promise<LedgerMedium> {
    const described = { type, url: null, mime, bytes: size, name, hash };
    if (!bytes) return { ...described, file: null };
    const file = hash + (ENDINGS[mime] ?? '.bin');
    await mkdir(this.folder, { recursive: true });
    await writeFile(join(this.folder, file), bytes);
    return { ...described, file };
  }
}
