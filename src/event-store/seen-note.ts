import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instant } from '../kernel/instant.js';
import type { Anchor } from './store-records.js';

/** The newest event that a process has seen, in an append or a read. */
export type SeenEvent = Anchor;

/** A {@link SeenEvent} as kept outside the stores, to notice that a restored store lacks it (D-80). */
export interface SeenNote extends SeenEvent {
  /** Time at which it was noted. */
  readonly at: Instant;
  /** Id of the latest recovery of the log at that time; `none` if there was none. */
  readonly epoch: string;
}

/** True for events that are never deleted, so that a missing one was lost. */
export const isKeptForGood = (type: string): boolean => /^(Post|Publication|Planned|Recovery)/.test(type);

/**
 * Notes in a folder of this machine which event of a store was seen last. Restoring a database does not undo them. Disk
 * errors are ignored: without a note, RESTORED_AT says what nothing can notice.
 */
export class SeenNotes {
  constructor(private readonly folder: string) {}

  /** Returns the note about a store; null if there is none. */
  async read(storeId: string): Promise<SeenNote | null> {
    const text = await readFile(this.file(storeId), 'utf8').catch(() => null);
    try {
      const note = JSON.parse(text ?? 'null') as Partial<SeenNote> | null;
      const isNote = [note?.stream, note?.revision, note?.position, note?.id, note?.epoch].every(
        (each) => typeof each === 'string',
      );
      return isNote && typeof note?.at === 'number' ? (note as SeenNote) : null;
    } catch {
      return null; // damaged
    }
  }

  /** Replaces the note, durably. Keeps a later event of the same epoch, which another process has noted. */
  async advance(storeId: string, note: SeenNote): Promise<void> {
    const kept = await this.read(storeId);
    if (kept && kept.epoch === note.epoch && BigInt(kept.position) >= BigInt(note.position)) return;
    await this.write(storeId, note);
  }

  /** Replaces the note, durably, also by an earlier event: after a recovery. */
  async write(storeId: string, note: SeenNote): Promise<void> {
    const file = this.file(storeId);
    const fresh = `${file}.${process.pid}`;
    try {
      await mkdir(this.folder, { recursive: true });
      const handle = await open(fresh, 'w');
      await handle.writeFile(JSON.stringify(note));
      await handle.sync();
      await handle.close();
      await rename(fresh, file);
    } catch {
      await rm(fresh, { force: true }).catch(() => undefined);
    }
  }

  private file(storeId: string): string {
    return join(this.folder, `${storeId}.json`);
  }
}
