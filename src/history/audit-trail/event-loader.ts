import type { EventCodec } from '../../event-store/codec.js';
import type { EventStore, StoredEvent } from '../../event-store/port.js';
import type { RecordedEvent } from '../../kernel/events.js';
import type { AuditEntry } from '../../projections/audit/audit.queries.js';
import type { SecretVault } from '../../secrets/vault.js';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { ERASED, maskErasedSecrets } from '../erased-secrets.js';
import { type HistoricEvent, toHistoricEvent } from '../historic-event.js';

/** Events that are read at a time. */
const BATCH = 100;
/** Most events between two entries of a stream that are read with them rather than by a read of their own. */
const READ_OVER = 8n;

/** Neighbouring entries of one stream that one read returns. */
interface StreamRange {
  readonly stream: string;
  readonly from: bigint;
  to: bigint;
}

/** Reads the events of entries from their streams. */
export class EventLoader {
  constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly codec: EventCodec,
    private readonly vault: Pick<SecretVault, 'findErased'>,
  ) {}

  /**
   * Reads events in the order of their entries. One that was deleted from the store is shown with the data `erased`; one of which
   * nothing is known any more is left out.
   * @throws Unavailable @throws UndecodableEvent
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
    return events.map((event, i) => toHistoricEvent({ ...event, data: data[i] }));
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
      // A stream that was deleted may have begun again, with other events.
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
