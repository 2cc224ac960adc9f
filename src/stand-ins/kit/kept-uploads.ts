import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LedgerMedium } from './ledger.js';

/** Uploads that posts may refer to, by the name that the network gave them; they outlive a restart, as on the network. */
export class KeptUploads {
  private constructor(
    private readonly file: string,
    private readonly media: Map<string, LedgerMedium>,
  ) {}

  /** @param file made with its folder on the first upload; one JSON line each, a torn last one is left out */
  static async open(file: string): Promise<KeptUploads> {
    const text = await readFile(file, 'utf8').catch(() => '');
    const lines = text.split('\n').slice(0, -1);
    const media = lines.map((line) => JSON.parse(line) as { readonly name: string; readonly medium: LedgerMedium });
    return new KeptUploads(file, new Map(media.map(({ name, medium }) => [name, medium])));
  }

  find(name: string): LedgerMedium | undefined {
    return this.media.get(name);
  }

  async keep(name: string, medium: LedgerMedium): Promise<void> {
    this.media.set(name, medium);
    await mkdir(dirname(this.file), { recursive: true });
    await appendFile(this.file, `${JSON.stringify({ name, medium })}\n`);
  }
}
