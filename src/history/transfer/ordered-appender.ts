import { RETAINED_EVENTS } from '../../domain/request-log/request-log.events.js';
import type { ImportAccess } from '../../event-store/checked-event-store.js';
import { countAppendBytes, MAX_APPEND_BYTES, type NewEvent } from '../../event-store/port.js';
import { createMark, REMOVED } from '../../event-store/store-records.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { DELETED_LATER } from '../transparency-log/verify-history.js';
import { TRANSFER_MESSAGES } from './messages.js';
import { ImportRefused, type PlacedEvent } from './transfer-line.js';

/** Maximum number of marks for removed events in one append. */
const REMOVED_AT_ONCE = 2_000;
const REMEMBERED_STREAMS = 200_000;

/** Appends the events of an import in order, at their original revisions. */
export class OrderedAppender {
  /** Last revisions of streams in the store. */
  private readonly lasts = new BoundedCache<bigint>(REMEMBERED_STREAMS);

  constructor(private readonly store: ImportAccess) {}

  /** Records that the store has an event. */
  remember({ stream, revision }: PlacedEvent): void {
    this.lasts.set(stream, revision);
  }

  /**
   * Appends events in order. Appends to several streams at once only if the store commits in order, so that a crash
   * leaves a prefix of the history without gaps.
   */
  async append(events: readonly PlacedEvent[]): Promise<void> {
    let batch: PlacedEvent[][] = [];
    const send = async (): Promise<void> => {
      const runs = batch;
      batch = [];
      const outcomes = await Promise.allSettled(runs.map((run) => this.appendRun(run)));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
    };
    for (const run of splitIntoRuns(events)) {
      const [first] = run;
      const isRepeated = batch.some(([other]) => other!.stream === first!.stream);
      if (batch.length > 0 && (isRepeated || !this.store.commitsInOrder)) await send();
      const last = await this.readLast(first!.stream);
      if (last < first!.revision - 1n) {
        await send();
        await this.fill(first!.stream, last, first!.revision);
      }
      batch.push(run);
      this.lasts.set(first!.stream, run.at(-1)!.revision);
    }
    await send();
  }

  private async appendRun(run: readonly PlacedEvent[]): Promise<void> {
    const { stream, revision } = run[0]!;
    await this.store.append(stream, revision === 0n ? 'noStream' : revision - 1n, run.map(toNewEvent));
    if (revision === 0n && stream.startsWith('requestLog-')) await this.store.setRetention(stream, RETAINED_EVENTS);
  }

  private async readLast(stream: string): Promise<bigint> {
    const known = this.lasts.get(stream);
    if (known !== undefined) return known;
    const [last] = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    return last?.revision ?? -1n;
  }

  /** Fills the revisions of removed events with hidden marks, because no store can skip revisions. */
  private async fill(stream: string, last: bigint, until: bigint): Promise<void> {
    if (!DELETED_LATER.test(stream))
      throw new ImportRefused(TRANSFER_MESSAGES.revisionGap({ stream, revision: String(until), last: String(last) }));
    await this.store.setRetention(stream, RETAINED_EVENTS);
    for (let from = last + 1n; from < until;) {
      const count = Number(until - from < BigInt(REMOVED_AT_ONCE) ? until - from : BigInt(REMOVED_AT_ONCE));
      const marks = Array.from({ length: count }, (_, i) => createMark(REMOVED, stream, from + BigInt(i)));
      await this.store.append(stream, from === 0n ? 'noStream' : from - 1n, marks);
      from += BigInt(count);
    }
  }
}

const toNewEvent = ({ id, type, data, metadata }: PlacedEvent): NewEvent => ({ id, type, data, metadata });

/** Splits events into runs. A run has consecutive events of one stream and fits into one append. */
const splitIntoRuns = (events: readonly PlacedEvent[]): PlacedEvent[][] => {
  const runs: PlacedEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const last = runs.at(-1);
    const size = countAppendBytes([event]);
    if (last?.[0]!.stream === event.stream && bytes + size <= MAX_APPEND_BYTES) {
      last.push(event);
      bytes += size;
    } else {
      runs.push([event]);
      bytes = size;
    }
  }
  return runs;
};
