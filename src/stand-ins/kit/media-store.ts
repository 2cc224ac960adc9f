import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerMedium } from './ledger-entry.js';
import type { UploadedFile } from './uploaded-file.js';

/** Extensions of files that the wall serves with their type; other files are offered as downloads. */
const EXTENSIONS: Readonly<Record<string, string>> = {
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

/** Stores uploaded files next to the ledger, named by hash, so that a wall can show them after a restart. */
export class MediaStore {
  constructor(readonly folder: string) {}

  /** Stores a file unless it is too large, and describes it for the ledger. */
  async storeFile(type: string, { name, size, hash, bytes }: UploadedFile, mime: string): Promise<LedgerMedium> {
    const described = { type, url: null, mime, bytes: size, name, hash };
    if (!bytes) return { ...described, file: null };
    const file = hash + (EXTENSIONS[mime] ?? '.bin');
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(join(this.folder, file), bytes, { mode: 0o600 });
    return { ...described, file };
  }
}
