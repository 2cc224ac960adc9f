import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openProcessDirectory, type ProcessDirectory, removeAbandoned } from '../../runtime/process-directory.js';

/**
 * Keeps import request bodies in files, but only while they are being read: they contain a whole history and sealed
 * secrets.
 */
export class ImportSpool {
  private directory: Promise<ProcessDirectory> | null = null;

  private constructor(private readonly parent: string) {}

  /** Removes files left by killed processes, even if no import follows. @param parent folder, which need not exist */
  static async open(parent: string): Promise<ImportSpool> {
    await removeAbandoned(parent);
    return new ImportSpool(parent);
  }

  /** Writes a body to a file that exists only while `use` runs. */
  async keep<T>(body: Readable, use: (file: string) => Promise<T>): Promise<T> {
    this.directory ??= openProcessDirectory(this.parent);
    this.directory.catch(() => (this.directory = null)); // so that the next import tries again
    const file = join((await this.directory).path, `${randomUUID()}.ndjson`);
    try {
      await pipeline(body, createWriteStream(file));
      return await use(file);
    } finally {
      await rm(file, { force: true });
    }
  }

  async close(): Promise<void> {
    await (await this.directory?.catch(() => null))?.close();
  }
}
