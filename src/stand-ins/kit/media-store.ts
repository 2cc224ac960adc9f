import { hash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadedFile } from './body.js';
import type { LedgerMedium } from './ledger.js';

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

  /** Keeps a file and describes it for the ledger. */
  async keep(type: string, file: UploadedFile, mime: string): Promise<LedgerMedium> {
    const name = hash('sha256', file.bytes).slice(0, 32) + (ENDINGS[mime] ?? '.bin');
    await mkdir(this.folder, { recursive: true });
    await writeFile(join(this.folder, name), file.bytes);
    return { type, file: name, url: null, mime, bytes: file.bytes.length, name: file.name };
  }
}
