import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { findLast } from '../../event-store/aggregate-reader.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, type Position, type StoredEvent } from '../../event-store/port.js';
import { POOL } from '../../postgres/tokens.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { ContentKeyTable } from '../../secrets/content-keys.js';
import { type ListedSecret, SecretVault } from '../../secrets/vault.js';
import { PAGE, readLog } from '../read-log.js';
import { ENDED_LOG_STREAM, EndedLogTable } from '../transparency-log/ended-logs.js';
import { type LogEntry, parseEntry } from '../transparency-log/entry.js';
import { type LogHead, LogTables } from '../transparency-log/log-tables.js';
import { TILE_WIDTH } from '../transparency-log/merkle.js';
import { LOG_MESSAGES } from '../transparency-log/messages.js';
import { LogBehind } from '../transparency-log/transparency-log.js';
import { DELETED_LATER } from '../transparency-log/verify-history.js';
import { TRANSFER_MESSAGES } from './messages.js';
import {
  addContent,
  markLast,
  serializeEvent,
  serializeKey,
  serializeRemoved,
  serializeSecret,
} from './transfer-line.js';

/** Selects the events and secrets to export. */
export interface ExportRange {
  /** Exclusive; {@link BEGINNING} for all events. */
  readonly after: Position;
  readonly withSecrets: boolean;
  /** True to add the content of events, which their data holds sealed. */
  readonly isOpen?: boolean;
}

/** The store and the transparency log contradict each other, so an export would not be the history that was signed. */
export class ContradictedLog extends Error {}

interface PlacedEntry {
  readonly index: number;
  readonly entry: LogEntry | null;
  /** Position of the first event in the entry's bundle; null unless the entry is the first in that bundle. */
  readonly first: Position | null;
}

const BUNDLES = 20;
const SECRETS = 500;
/** How long to wait for the log to cover the current events, in ms. */
const LONGEST_WAIT_MS = 10_000;
const LOOK_MS = 100;

/** Exports every event with its exact text, and an entry for each event that retention has removed (ADR-131). */
@Injectable()
export class ExportHistory {
  /** Number of events per read; tests replace it. */
  protected readonly pageSize: number = PAGE;
  private readonly tables: LogTables;
  private readonly endedLogs: EndedLogTable;

  constructor(
    @Inject(POOL) pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly vault: SecretVault,
    private readonly contentKeys: ContentKeyTable,
  ) {
    this.tables = new LogTables(pool);
    this.endedLogs = new EndedLogTable(pool);
  }

  /** Waits until the log covers everything that is currently in the store. @throws LogBehind @throws Unavailable */
  async waitForLog(signal: AbortSignal): Promise<LogHead | null> {
    const { store, tables } = this;
    const end = await store.readHead();
    const until = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const head = await tables.readHead();
      const covered = head?.position ?? -1n;
      if (covered >= end) return head;
      const [next] = await store.readAll({ after: covered, limit: 1 });
      if (!next || next.position > end) return head;
      if (signal.aborted || performance.now() > until) throw new LogBehind(LOG_MESSAGES.behind);
      await sleepUnlessAborted(LOOK_MS, signal);
    }
  }

  /**
   * Returns the lines of the history up to the head, without line feeds.
   * @throws ContradictedLog @throws Unavailable
   */
  async *lines(head: LogHead | null, range: ExportRange): AsyncGenerator<string> {
    let held: string | null = null;
    for await (const line of this.allLines(head, range)) {
      if (held !== null) yield held;
      held = line;
    }
    if (held !== null) yield markLast(held);
  }

  /** Returns the lines of the keys that open the content of events (D-100). @throws Unavailable */
  async *keyLines(): AsyncGenerator<string> {
    for (let from = ''; ;) {
      const page = await this.contentKeys.listSealed(from, SECRETS);
      yield* page.map(serializeKey);
      if (page.length < SECRETS) return;
      from = page.at(-1)!.id;
    }
  }

  private async *allLines(head: LogHead | null, range: ExportRange): AsyncGenerator<string> {
    if (head) yield* this.historyLines(head, range);
    if (!range.withSecrets) return;
    for (let from = ''; ;) {
      const page = await this.vault.listSealed(from, SECRETS);
      for (const secret of page) if (await this.isNamed(secret, head)) yield serializeSecret(secret);
      if (page.length < SECRETS) return;
      from = page.at(-1)!.id;
    }
  }

  /**
   * True if an exported event refers to a secret. Any other secret belongs to a rejected or unfinished command, and
   * would stay in the importing gateway forever.
   */
  private async isNamed({ id, unconfirmedIn }: ListedSecret, head: LogHead | null): Promise<boolean> {
    if (unconfirmedIn === null) return true;
    const event = await findLast(this.store, unconfirmedIn, ({ data }) => data.includes(id));
    return event !== null && head !== null && event.position <= head.position;
  }

  /** Reads the entries of the log and the events of the store together: an entry without its event was removed. */
  private async *historyLines(head: LogHead, { after, isOpen }: ExportRange): AsyncGenerator<string> {
    const start = await this.tables.findBundle(after);
    const ended = await this.endedLogs.list();
    const entries = this.readEntries(start?.number ?? 0, head.size);
    // Position of the last event; for a removed event at the start of a bundle, one less than the bundle's position.
    let position = start ? start.first - 1n : -1n;
    const removed = ({ index, entry, first }: PlacedEntry): string | null => {
      if (first !== null && first - 1n > position) position = first - 1n;
      if (!entry || position < after) return null;
      const isOfLog = entry.stream.startsWith(ENDED_LOG_STREAM);
      return serializeRemoved(entry, index, position, isOfLog ? ended : undefined);
    };
    for await (const event of this.readEvents(position, head.position)) {
      for (;;) {
        const next = await entries.next();
        if (next.done) {
          const { stream, revision } = event;
          throw new ContradictedLog(TRANSFER_MESSAGES.outOfOrder({ stream, revision: String(revision) }));
        }
        const { entry, index } = next.value;
        if (entry?.stream === event.stream && entry.revision === event.revision) {
          position = event.position;
          if (position <= after) break;
          const line = serializeEvent(this.codec, event, index, entry.hash);
          yield isOpen ? addContent(line, this.codec, event) : line;
          break;
        }
        const line = removed(next.value);
        if (line !== null) yield line;
      }
    }
    for await (const rest of entries) {
      const line = removed(rest);
      if (line !== null) yield line;
    }
  }

  private async *readEntries(from: number, size: number): AsyncGenerator<PlacedEntry> {
    for await (const { number, entries, first } of this.tables.readBundlesUpTo(size, { from, perRead: BUNDLES }))
      for (const [i, bytes] of entries.entries())
        yield { index: number * TILE_WIDTH + i, entry: parseEntry(bytes), first: i === 0 ? first : null };
  }

  /** Reads events in order, and skips events that were truncated from their streams. */
  private async *readEvents(after: Position, until: Position): AsyncGenerator<StoredEvent> {
    for await (const page of readLog(this.store, { after, until, pageSize: this.pageSize })) {
      const firsts = await this.readFirstRevisions(page);
      for (const event of page) {
        const first = firsts.get(event.stream);
        if (first === undefined || (first !== null && event.revision >= first)) yield event;
      }
    }
  }

  /**
   * Returns the first visible revision of each trimmed stream in a page; null if none is visible. A store may keep
   * events that streams hide.
   */
  private async readFirstRevisions(page: readonly StoredEvent[]): Promise<ReadonlyMap<string, bigint | null>> {
    const streams = [...new Set(page.map(({ stream }) => stream))].filter((stream) => DELETED_LATER.test(stream));
    const firsts = streams.map(async (stream) => {
      const [first] = await this.store.readStream(stream, { limit: 1 });
      return [stream, first?.revision ?? null] as const;
    });
    return new Map(await Promise.all(firsts));
  }
}
