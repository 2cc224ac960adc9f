import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreNotes } from '../../event-store/port.js';
import type { JsonObject } from '../../kernel/json.js';
import type { EndedLog } from './ended-logs.js';
import { parseCheckpoint } from './signed-note.js';

/** The newest published checkpoint of the log, kept outside the database (ADR-213). */
export interface PublishedCheckpoint extends JsonObject {
  readonly suffix: string;
  readonly vkey: string;
  readonly checkpoint: string;
  /** Position of the last event that it covers. */
  readonly position: string;
  /** Logs that had ended by then. */
  readonly ended: readonly EndedLog[];
}

const NOTE = 'history-checkpoint';

/**
 * Keeps the newest published checkpoint where restoring the database cannot undo it: in a file below DATA_DIR and, if
 * the event store is a separate server, in the event store.
 */
export class PublishedCheckpoints {
  constructor(
    private readonly notes: StoreNotes | null,
    /** Folder for the file; the file is named after the event store. */
    private readonly folder: string,
    private readonly storeId: () => string | null,
  ) {}

  /** Returns the newest checkpoint; null if none is known. @throws Unavailable */
  async read(): Promise<PublishedCheckpoint | null> {
    const [noted, kept] = await Promise.all([this.notes?.readNote(NOTE), this.readFile()]);
    return newerOf(asPublished(noted), asPublished(kept));
  }

  /** Writes a checkpoint. Readers may see it once this resolves; disk errors are ignored. @throws Unavailable */
  async announce(published: PublishedCheckpoint): Promise<void> {
    await Promise.all([this.notes?.writeNote(NOTE, published), this.writeFile(published)]);
  }

  private async writeFile(published: PublishedCheckpoint): Promise<void> {
    const file = this.file();
    if (file === null) return;
    try {
      await mkdir(this.folder, { recursive: true });
      await writeFile(`${file}.new`, JSON.stringify(published));
      await rename(`${file}.new`, file);
    } catch {
      // The file is a second copy: the database has the checkpoint.
    }
  }

  private async readFile(): Promise<unknown> {
    const file = this.file();
    return file === null
      ? null
      : readFile(file, 'utf8')
          .then(JSON.parse)
          .catch(() => null);
  }

  private file(): string | null {
    const id = this.storeId();
    return id === null ? null : join(this.folder, `${id}.json`);
  }
}

const asPublished = (value: unknown): PublishedCheckpoint | null => {
  const { checkpoint, vkey, suffix, position, ended } = (value ?? {}) as Partial<PublishedCheckpoint>;
  const isOne = [checkpoint, vkey, suffix, position].every((text) => typeof text === 'string') && Array.isArray(ended);
  return isOne && parseCheckpoint(checkpoint!) ? (value as PublishedCheckpoint) : null;
};

const newerOf = (a: PublishedCheckpoint | null, b: PublishedCheckpoint | null): PublishedCheckpoint | null => {
  if (!a || !b) return a ?? b;
  if (a.suffix !== b.suffix) return a.ended.some(({ suffix }) => suffix === b.suffix) ? a : b;
  return parseCheckpoint(a.checkpoint)!.size >= parseCheckpoint(b.checkpoint)!.size ? a : b;
};
