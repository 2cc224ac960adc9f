import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CheckedEventStore, type ImportAccess } from '../../event-store/checked-event-store.js';
import { keyIdOf, timeOf } from '../../event-store/content.js';
import { BEGINNING, isFullPage, type Position, type StoredEvent } from '../../event-store/port.js';
import { createMark, IMPORT_ENDED, IMPORT_STARTED, IMPORT_STREAM, isHistory } from '../../event-store/store-records.js';
import { POOL } from '../../postgres/tokens.js';
import { openProcessDirectory, type ProcessDirectory, removeAbandoned } from '../../runtime/process-directory.js';
import { ContentKeyTable } from '../../secrets/content-keys.js';
import { SecretVault, UnreadableSecret } from '../../secrets/vault.js';
import { commitLog } from '../transparency-log/commit-log.js';
import { type EndedLog, EndedLogTable } from '../transparency-log/ended-logs.js';
import { type LogEntry, serializeEntry } from '../transparency-log/entry.js';
import {
  LOG_CHECKPOINT,
  LOG_IDENTITY,
  type LogHead,
  type LogIdentity,
  LogMoved,
  LogTables,
} from '../transparency-log/log-tables.js';
import { appendEntries, TILE_WIDTH } from '../transparency-log/merkle.js';
import { PublishedCheckpoints } from '../transparency-log/published-checkpoint.js';
import { createCurrentLog } from '../transparency-log/transparency-log.js';
import { TRANSFER_MESSAGES } from './messages.js';
import { OrderedAppender } from './ordered-appender.js';
import {
  type EventLine,
  ImportRefused,
  type KeyLine,
  MalformedLine,
  parseLine,
  type PlacedEvent,
  type RemovedLine,
  type SecretLine,
  type TransferLine,
} from './transfer-line.js';

/**
 * Injection token for the checkpoints of sagas that do not act on past events. An import moves them to the end of the
 * history.
 */
export const LATECOMERS = Symbol('Latecomers');

/** Counts of the imported items. */
export interface ImportResult {
  /** Number of events in the lines that were sent, whether or not they were already stored. */
  readonly events: number;
  readonly secrets: number;
  /** False if more of the history must follow; until it is sent, the gateway writes and publishes nothing else. */
  readonly complete: boolean;
}

/** A line that cannot be imported. `line` counts from 1. */
export class ImportInvalid extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

type HistoryLine = (EventLine | RemovedLine) & { readonly isLast: boolean };

/** Maximum number of lines and bytes that are stored and signed together. */
const CHUNK = { lines: 500, bytes: 4 * 1_048_576 };
/** Maximum number of attempts to write the log: its saga may have advanced it while the store was empty. */
const LOG_TRIES = 20;
const RETRY_MS = 100;

/**
 * Imports an exported history into an empty store (ADR-133). Appends events in order with their exact text, in chunks.
 * Adds each chunk's entries, including those for removed events, to the transparency log, so that its tree equals the
 * exported tree. To continue an interrupted import, send the history again: stored events are compared, and the rest is
 * appended.
 */
@Injectable()
export class ImportHistory {
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly store: CheckedEventStore,
    readonly vault: SecretVault,
    readonly contentKeys: ContentKeyTable,
    @Inject(LOG_IDENTITY) readonly identity: LogIdentity,
    readonly published: PublishedCheckpoints,
    @Inject(LATECOMERS) readonly latecomers: readonly string[],
  ) {}

  /** Imports lines of a history in order. @throws ImportRefused @throws ImportInvalid @throws Unavailable */
  run(lines: AsyncIterable<string>): Promise<ImportResult> {
    const result = this.running.then(() => new Import(this).run(lines));
    this.running = result.catch(() => undefined);
    return result;
  }
}

class Import {
  private readonly store: ImportAccess;
  private readonly tables: LogTables;
  private readonly appender: OrderedAppender;
  private state: 'running' | 'ended' | null = null;
  private chunk: HistoryLine[] = [];
  private chunkBytes = 0;
  private nextIndex = 0;
  private events = 0;
  private secrets = 0;
  private readonly knownKeys = new Set<string>();

  constructor(private readonly deps: ImportHistory) {
    this.store = deps.store.openForImport();
    this.appender = new OrderedAppender(this.store);
    this.tables = new LogTables(deps.pool);
  }

  async run(lines: AsyncIterable<string>): Promise<ImportResult> {
    await this.checkEmpty();
    let number = 0;
    let isLast = false;
    let isNumbered = false;
    for await (const text of lines) {
      number += 1;
      if (text.trim() === '') continue;
      const line = this.parse(text, number);
      ({ isLast } = line);
      if (line.kind === 'secret' || line.kind === 'key') {
        await this.storeSecret(line, number);
        continue;
      }
      if (line.kind === 'event') await this.checkKey(line, number);
      isNumbered ||= line.index !== null;
      await this.add(line, text.length);
    }
    await this.flush();
    const complete = isLast || !isNumbered;
    if (complete && this.state === 'running') await this.end();
    return { events: this.events, secrets: this.secrets, complete };
  }

  private parse(text: string, number: number): TransferLine {
    try {
      return parseLine(text);
    } catch (error) {
      if (error instanceof MalformedLine) throw new ImportInvalid(number, error.message);
      throw error;
    }
  }

  /** @throws ImportInvalid if the content of an event would look erased, because its key is missing */
  private async checkKey({ event }: EventLine, number: number): Promise<void> {
    const id = keyIdOf(event.data);
    if (id === null || this.knownKeys.has(id)) return;
    if ((await this.deps.contentKeys.findMissing(new Map([[id, timeOf(event)]]))).length > 0)
      throw new ImportInvalid(number, TRANSFER_MESSAGES.keyMissing);
    this.knownKeys.add(id);
  }

  private async storeSecret(line: SecretLine | KeyLine, number: number): Promise<void> {
    const { id } = line;
    try {
      if (line.kind === 'key') await this.deps.contentKeys.storeSealed(line);
      else await this.deps.vault.storeSealed(line);
    } catch (error) {
      if (error instanceof UnreadableSecret) throw new ImportInvalid(number, TRANSFER_MESSAGES.otherKey({ id }));
      throw error;
    }
    this.secrets += 1;
  }

  /** @throws ImportRefused if the store contains events that were not imported */
  private async checkEmpty(): Promise<void> {
    this.state = await this.store.readState();
    if (this.state !== null) return;
    const [first] = await this.store.readAll({ after: BEGINNING, limit: 1 });
    if (first) throw new ImportRefused(TRANSFER_MESSAGES.notEmpty);
  }

  /** Marks the store as being filled, so that no process acts on part of a history. */
  private async begin(): Promise<void> {
    await this.store.append(IMPORT_STREAM, 'noStream', [createMark(IMPORT_STARTED, IMPORT_STREAM, 0n)]);
    this.state = await this.store.readState();
  }

  private async end(): Promise<void> {
    const position = await this.store.readHead();
    await this.deps.pool.query(
      'update ops_checkpoint set position = $2, anchor = null where name = any($1) and position < $2',
      [this.deps.latecomers, position],
    );
    await this.store.append(IMPORT_STREAM, 0n, [createMark(IMPORT_ENDED, IMPORT_STREAM, 1n)]);
    await this.store.readState();
  }

  private async add(line: HistoryLine, bytes: number): Promise<void> {
    const index = line.index ?? this.nextIndex;
    // An export that was interrupted and resumed may repeat entries of removed events.
    if (line.index !== null && this.chunk.length > 0 && index < this.nextIndex) return;
    if (index !== this.nextIndex) await this.flush();
    this.chunk.push({ ...line, index });
    this.nextIndex = index + 1;
    this.chunkBytes += bytes;
    if (this.chunk.length >= CHUNK.lines || this.chunkBytes >= CHUNK.bytes) await this.flush();
  }

  /** Adds the missing lines of the chunk to the store and the log. */
  private async flush(): Promise<void> {
    const { chunk } = this;
    this.chunk = [];
    this.chunkBytes = 0;
    if (chunk.length === 0) return;
    this.events += chunk.filter(({ kind }) => kind === 'event').length;
    for (let tries = 1; ; tries++)
      try {
        return await this.bring(chunk);
      } catch (error) {
        if (!(error instanceof LogMoved) || tries >= LOG_TRIES) throw error;
        await sleep(RETRY_MS);
      }
  }

  private async bring(chunk: readonly HistoryLine[]): Promise<void> {
    const head = await this.tables.readHead();
    const size = head?.size ?? 0;
    const from = chunk[0]!.index!;
    if (from > size) throw new ImportRefused(TRANSFER_MESSAGES.gap({ index: from, size }));
    await this.compare(chunk.slice(0, size - from));
    const rest = chunk.slice(size - from);
    if (rest.length === 0) return;
    if (this.state === null) await this.begin();
    if (this.state !== 'running') throw new ImportRefused(TRANSFER_MESSAGES.notEmpty);
    const after = size === 0 ? BEGINNING : head!.position;
    const positions = await this.bringIntoStore(rest, after);
    await this.bringIntoLog(head, rest, positions, after);
  }

  /** Checks that the log contains the entries for these lines. @throws ImportRefused */
  private async compare(lines: readonly HistoryLine[]): Promise<void> {
    if (lines.length === 0) return;
    const from = Math.floor(lines[0]!.index! / TILE_WIDTH);
    const count = Math.floor(lines.at(-1)!.index! / TILE_WIDTH) - from + 1;
    const entries = (await this.tables.readBundles(from, count)).flatMap((bundle) => bundle.entries);
    for (const line of lines)
      if (!entries[line.index! - from * TILE_WIDTH]?.equals(serializeEntry(placeOf(line))))
        throw new ImportRefused(TRANSFER_MESSAGES.notEmpty);
  }

  /** Appends the events that the store lacks. Returns the positions of all events in the lines, in order. */
  private async bringIntoStore(lines: readonly HistoryLine[], after: Position): Promise<readonly Position[]> {
    const wanted = lines.flatMap((line) => (line.kind === 'event' ? [line.event] : []));
    const there = await this.readThere(wanted, after);
    if (there.length === wanted.length) return there;
    await this.appender.append(wanted.slice(there.length));
    const stored = await this.readThere(wanted, after);
    if (stored.length !== wanted.length) throw new ImportRefused(TRANSFER_MESSAGES.notEmpty);
    return stored;
  }

  /**
   * Returns the positions of the leading wanted events that are already in the store.
   * @throws ImportRefused if the store has other events
   */
  private async readThere(wanted: readonly PlacedEvent[], after: Position): Promise<readonly Position[]> {
    const positions: Position[] = [];
    const limit = CHUNK.lines;
    for (let from = after; positions.length < wanted.length;) {
      const page = await this.store.readAll({ after: from, limit });
      for (const event of page.filter(isHistory)) {
        const expected = wanted[positions.length];
        if (!expected) break;
        if (!isSame(event, expected)) throw new ImportRefused(TRANSFER_MESSAGES.notEmpty);
        positions.push(event.position);
        this.appender.remember(event);
      }
      if (!isFullPage(page, limit)) break;
      from = page.at(-1)!.position;
    }
    return positions;
  }

  /** Writes the lines' entries to the transparency log and signs the new head. */
  private async bringIntoLog(
    found: LogHead | null,
    lines: readonly HistoryLine[],
    positions: readonly Position[],
    after: Position,
  ): Promise<void> {
    const { pool, identity, published } = this.deps;
    const endedLogs = new EndedLogTable(pool);
    await endedLogs.add(
      lines.flatMap((line): readonly EndedLog[] => (line.kind === 'removed' ? (line.ended ?? []) : [])),
    );
    await pool.query(
      'insert into ops_checkpoint (name, version, code, position) values ($1, 1, 1, $2) on conflict do nothing',
      [LOG_CHECKPOINT, found?.position ?? BEGINNING],
    );
    let position = after;
    let event = 0;
    const entries = lines.map((line) => {
      if (line.kind === 'event') position = positions[event++]!;
      // A removed event has no position in this store. It gets the position right after the previous event, so that its
      // entry is found together with the next event's entry.
      return { bytes: serializeEntry(placeOf(line)), position: line.kind === 'event' ? position : position + 1n };
    });
    const { edge, tiles } = appendEntries(await this.tables.readEdge(found?.size ?? 0), entries);
    const current = createCurrentLog(identity, found, await endedLogs.list());
    const covered = found && found.position > position ? found.position : position;
    const batch = { from: found, edge, tiles, entries, position: covered, lastEvent: position };
    await commitLog({ pool, identity, published }, current, batch);
  }
}

const placeOf = (line: EventLine | RemovedLine): LogEntry => {
  const { stream, revision } = line.kind === 'event' ? line.event : line;
  return { stream, revision, hash: line.hash };
};

const isSame = (found: StoredEvent, expected: PlacedEvent): boolean =>
  found.id === expected.id &&
  found.stream === expected.stream &&
  found.revision === expected.revision &&
  found.type === expected.type &&
  found.data === expected.data &&
  found.metadata === expected.metadata;

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
