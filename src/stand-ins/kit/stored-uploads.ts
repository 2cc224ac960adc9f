import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LedgerMedium } from './ledger-entry.js';

/** Uploads that posts may refer to, by the names that the network gives them. They survive restarts. */
export class StoredUploads {
  private constructor(
    private readonly file: string,
    private readonly media: Map<string, LedgerMedium>,
  ) {}

  /** @param file one JSON line per upload; created by the first upload; an incomplete last line is ignored */
  static async open(file: string): Promise<StoredUploads> {
    const text = await readFile(file, 'utf8').catch(() => '');
    const lines = text.split('\n').slice(0, -1);
    const media = lines.map((line) => JSON.parse(line) as { readonly name: string; readonly medium: LedgerMedium });
    return new StoredUploads(file, new Map(media.map(({ name, medium }) => [name, medium])));
  }

  findMedium(name: string): LedgerMedium | undefined {
    return this.media.get(name);
  }

  async addMedium(name: string, medium: LedgerMedium): Promise<void> {
    this.media.set(name, medium);
    await mkdir(dirname(this.file), { recursive: true });
    await appendFile(this.file, `${JSON.stringify({ name, medium })}\n`);
  }
}
