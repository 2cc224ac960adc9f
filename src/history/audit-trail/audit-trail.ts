import { Inject, Injectable } from '@nestjs/common';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, type StoredEvent } from '../../event-store/port.js';
import type { RecordedEvent } from '../../kernel/events.js';
import { type AuditEntry, type AuditFilter, AuditIndex } from '../../projections/audit/audit.queries.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { SecretVault } from '../../secrets/vault.js';
import { ERASED, maskErasedSecrets } from '../erased-secrets.js';
import { type HistoricEvent, toHistoricEvent } from '../read-log.js';

/** Number of events read at a time. */
const BATCH = 100;
/** Maximum gap, in revisions, between entries of one read: reading a few extra events costs less than another read. */
const READ_OVER = 8n;

/** A range of revisions in one stream, fetched with one read. */
interface StreamRange {
  readonly stream: string;
  readonly from: bigint;
  to: bigint;
}

/** Reads the events of audit entries from their streams. */
@Injectable()
export class EventLoader {
  constructor(
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readStream'>,
    private readonly codec: EventCodec,
    @Inject(SecretVault) private readonly vault: Pick<SecretVault, 'findErased'>,
  ) {}

  /**
   * Reads events in the order of their entries. A deleted event is returned with the data `erased`, or omitted if its
   * entry has no envelope. @throws Unavailable @throws UndecodableEvent
   */
  async load(entries: readonly AuditEntry[]): Promise<HistoricEvent[]> {
    const events: RecordedEvent[] = [];
    for (let i = 0; i < entries.length; i += BATCH) {
      events.push(...(await this.loadBatch(entries.slice(i, i + BATCH))));
      await yieldToEventLoop();
    }
    const data = await maskErasedSecrets(
      this.vault,
      events.map((event) => event.data),
    );
    return events.map((event, i) => toHistoricEvent(event, data[i]));
  }

  private async loadBatch(entries: readonly AuditEntry[]): Promise<RecordedEvent[]> {
    const found = new Map<string, StoredEvent>();
    const reads = groupByStream(entries).map(async ({ stream, from, to }) => {
      for (const event of await this.store.readStream(stream, { from, limit: Number(to - from) + 1 }))
        found.set(`${stream}@${event.revision}`, event);
    });
    await Promise.all(reads);
    return entries.flatMap(({ stream, revision, position, envelope }) => {
      const stored = found.get(`${stream}@${revision}`);
      // A deleted stream may have been started again with other events.
      if (stored?.position === position) return [this.codec.decode(stored)];
      if (envelope === null) return [];
      const known = JSON.parse(envelope) as Omit<RecordedEvent, 'stream' | 'revision' | 'position' | 'data'>;
      return [{ ...known, stream, revision, position, data: ERASED }];
    });
  }
}

const groupByStream = (entries: readonly AuditEntry[]): readonly StreamRange[] => {
  const ranges: StreamRange[] = [];
  const open = new Map<string, StreamRange>();
  for (const { stream, revision } of entries.toSorted((a, b) => (a.revision < b.revision ? -1 : 1))) {
    const range = open.get(stream);
    if (range && revision - range.to <= READ_OVER) range.to = revision;
    else {
      const next = { stream, from: revision, to: revision };
      open.set(stream, next);
      ranges.push(next);
    }
  }
  return ranges;
};

/** A page of the audit trail. */
export interface AuditPage {
  readonly events: readonly HistoricEvent[];
  /** Position of the last entry of the page; null if no more entries follow. */
  readonly next: bigint | null;
}

/** Lists recorded events, filtered by owner, actor, type, aggregate and time (`GET /history/events`). */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly index: AuditIndex,
    private readonly events: EventLoader,
  ) {}

  /**
   * Returns a page, newest event first. New events do not change later pages, because positions are in commit order.
   * @param before position of the previous page's last event; null for the first page
   * @throws Unavailable @throws UndecodableEvent
   */
  async list(filter: AuditFilter, before: bigint | null, limit: number): Promise<AuditPage> {
    await this.index.catchUp();
    const entries = await this.index.listEntries(filter, before, limit + 1);
    const shown = entries.slice(0, limit);
    const next = entries.length > limit ? shown.at(-1)!.position : null;
    return { events: await this.events.load(shown), next };
  }
}
