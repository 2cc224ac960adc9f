import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { Instant } from '../kernel/clock.js';
import { deriveUuid } from '../kernel/ids.js';
import type { EventCodec } from './codec.js';
import type { EventStore, NewEvent, Position, StoredEvent } from './port.js';

/** The event store that a database belongs to. */
export interface StoreRecord {
  readonly id: string;
  /** Address at which the store was first used, without the password. */
  readonly address: string;
}

/** The place and id of an event that a read model has applied. */
export interface Anchor {
  readonly stream: string;
  readonly revision: string;
  readonly position: string;
  readonly id: string;
}

/** A checkpoint of a read model or saga. */
export interface Checkpoint {
  readonly name: string;
  readonly position: Position;
  /** An event at or before the position; null if none was applied. */
  readonly anchor: Anchor | null;
}

/** Serialises an event's anchor in the form that `ops_checkpoint` stores. */
export const serializeAnchor = ({ stream, revision, position, id }: StoredEvent): string =>
  JSON.stringify({ stream, revision: String(revision), position: String(position), id } satisfies Anchor);

const NAME = 'event_store';

/** The identity of the event store, kept alongside the checkpoints (ADR-124). */
export class StoreRecords {
  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  async read(): Promise<{ recorded: StoreRecord | null; checkpoints: Checkpoint[] }> {
    const { rows } = await this.pool.query<{ name: string | null; position: bigint; anchor: string; record: string }>(
      `select c.name, c.position, c.anchor, s.value as record from ops_checkpoint c
         full join (select value from ops_setting where name = $1) s on true`,
      [NAME],
    );
    const record = rows[0]?.record ?? null;
    const checkpoints = rows.flatMap(({ name, position, anchor }) =>
      name === null ? [] : [{ name, position, anchor: anchor === null ? null : (JSON.parse(anchor) as Anchor) }],
    );
    return { recorded: record === null ? null : (JSON.parse(record) as StoreRecord), checkpoints };
  }

  /** Records the store, unless another process has recorded one. */
  async record(record: StoreRecord): Promise<void> {
    const text = 'insert into ops_setting (name, value) values ($1, $2) on conflict (name) do nothing';
    await this.pool.query(text, [NAME, JSON.stringify(record)]);
  }

  /** Deletes the record. Call it in a transaction that also deletes the checkpoints. */
  async delete(): Promise<void> {
    await this.pool.query('delete from ops_setting where name = $1', [NAME]);
  }
}

/**
 * Marks that an import leaves in a store (ADR-133). They are not part of the history: `CheckedEventStore` hides them
 * from its callers, and the transparency log does not contain them.
 */
export const IMPORT_STREAM = 'historyImport-store';
/** Precedes an import's events. `CheckedEventStore` delivers none of them before {@link IMPORT_ENDED} is written. */
export const IMPORT_STARTED = 'HistoryImportStarted';
export const IMPORT_ENDED = 'HistoryImportEnded';
/** Placeholder that keeps the revision of an event that retention had removed before the history was exported. */
export const REMOVED = 'HistoryEventRemoved';

const IMPORT_MARKS: readonly string[] = [IMPORT_STARTED, IMPORT_ENDED, REMOVED];

/** True unless the event is an import mark. */
export const isHistory = ({ type }: Pick<NewEvent, 'type'>): boolean => !IMPORT_MARKS.includes(type);

/** Returns the mark for a revision of a stream. Its id is deterministic. */
export const createMark = (type: string, stream: string, revision: bigint): NewEvent => ({
  id: deriveUuid(`${type}/${stream}/${revision}`),
  type,
  data: '{}',
  metadata: '{}',
});

/**
 * Reads the ids of the events that operators have skipped.
 * @param from the stream that holds operators' decisions, and the event type of a decision to skip
 * @throws Unavailable
 */
export const readSkippedIds = async (
  store: Pick<EventStore, 'readStream'>,
  codec: EventCodec,
  from: { readonly stream: string; readonly type: string },
): Promise<ReadonlySet<string>> => {
  const decisions = (await store.readStream(from.stream)).filter(({ type }) => type === from.type);
  return new Set(decisions.map((stored) => (codec.decode(stored).data as { readonly eventId: string }).eventId));
};

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
