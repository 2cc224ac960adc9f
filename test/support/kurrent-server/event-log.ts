import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';

/** An event that a client asks to append. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** A stored event. `created` is in units of 100 ns since 1970, as in the protocol. */
export interface LoggedEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly created: bigint;
}

export type ExpectedState = bigint | 'no_stream' | 'any' | 'stream_exists';

/** An append that is written. */
export interface Committed {
  readonly kind: 'committed';
  readonly revision: bigint;
  readonly position: bigint | undefined;
  readonly isCopy: boolean;
}

/**
 * Outcome of an append. A copy had been written before; its `position` is missing if retention has removed the event.
 */
export type AppendOutcome =
  | Committed
  | { readonly kind: 'wrong-expected-version'; readonly current: bigint | undefined }
  | { readonly kind: 'stream-deleted' };

export interface EventLogOptions {
  /** Append-only file of JSON lines; its events are loaded after a kill. */
  readonly file: string;
  readonly firstPosition: bigint;
  /** Number of client events after which the server writes a system event. */
  readonly systemEventEvery: number;
}

interface Line {
  readonly stream: string;
  readonly created: string;
  readonly events: readonly { id: string; type: string; isJson: boolean; data: string; metadata: string }[];
}

/** Returns by how much a record advances the position. Any number that depends on the record will do. */
const recordSize = (event: ProposedEvent): bigint =>
  BigInt(96 + event.type.length + event.data.length + event.metadata.length);

/** All events of a server, in memory and in one file. */
export class EventLog {
  /** Every event, in order of position. */
  readonly events: LoggedEvent[] = [];
  private readonly streams = new Map<string, LoggedEvent[]>();
  /** Ids since the start of the process. `any` and `stream_exists` check only these, so a restart forgets them. */
  private readonly recentIds = new Map<string, LoggedEvent>();
  private readonly listeners = new Set<(event: LoggedEvent) => void>();
  private readonly recordStarts = new Set<bigint>();
  private end: bigint;
  private sinceSystemEvent = 0;

  constructor(private readonly options: EventLogOptions) {
    this.end = options.firstPosition;
    if (existsSync(options.file)) this.load();
    else this.writeFirstSystemEvents();
    this.recentIds.clear();
  }

  onAppended(listener: (event: LoggedEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Appends by the server's rules of idempotency: it compares ids, not data (see main.ts). */
  append(stream: string, expected: ExpectedState, events: readonly ProposedEvent[]): AppendOutcome {
    if (this.isTombstoned(stream)) return { kind: 'stream-deleted' };
    const last = this.lastRevision(stream);
    if (expected === 'any' || expected === 'stream_exists') {
      if (expected === 'stream_exists' && last < 0n) return { kind: 'wrong-expected-version', current: undefined };
      const first = events[0] && this.recentIds.get(`${stream}\n${events[0].id}`);
      if (first) return this.findRepeatedAppend(stream, first.revision - 1n, events);
    } else {
      const expectedRevision = expected === 'no_stream' ? -1n : expected;
      if (expectedRevision > last) return this.wrongVersion(last);
      if (expectedRevision < last && !(expected === 'no_stream' && this.isDeleted(stream)))
        return this.findRepeatedAppend(stream, expectedRevision, events);
    }
    if (events.length === 0) return { kind: 'committed', revision: last, position: undefined, isCopy: true };
    if (this.isDeleted(stream)) this.writeMetadata(stream, { $tb: Number(last + 1n) });
    this.write(stream, events);
    this.interleaveSystemEvent(events.length);
    const revision = this.lastRevision(stream);
    return { kind: 'committed', revision, position: this.streams.get(stream)?.at(-1)?.position, isCopy: false };
  }

  /** Returns the readable events of a stream, in order; undefined if there are none. */
  readStream(stream: string): readonly LoggedEvent[] | 'deleted' | undefined {
    if (this.isTombstoned(stream)) return 'deleted';
    const events = this.streams.get(stream);
    if (!events || events.length === 0 || this.isDeleted(stream)) return undefined;
    const first = this.firstReadable(stream);
    return first <= (events[0]?.revision ?? 0n) ? events : events.filter((event) => event.revision >= first);
  }

  /**
   * Deletes a stream permanently: its last event is a tombstone, and nothing more can be appended. Scavenging
   * removes the other events. @returns false if it was already deleted
   */
  tombstoneStream(stream: string): boolean {
    if (this.isTombstoned(stream)) return false;
    this.write(stream, [systemEvent(TOMBSTONE_TYPE)]);
    return true;
  }

  /**
   * Deletes a stream softly: its metadata says that every event is truncated; scavenging removes all but the last one.
   */
  deleteStream(stream: string): void {
    this.writeMetadata(stream, { $tb: DELETED });
  }

  /** Returns the index in {@link events} of the first event at or after a position. */
  indexAt(position: bigint): number {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.events[middle] as LoggedEvent).position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** True if a record starts, or once started, at this position. The server cannot read from any other. */
  isRecordStart(position: bigint): boolean {
    return position === this.end || this.recordStarts.has(position);
  }

  /** Permanently removes the events that retention hides, or a tombstone; never the last event of a stream. */
  scavenge(): void {
    const firstOf = new Map(
      [...this.streams.keys()].map((stream) => {
        const [first, last] = [this.firstReadable(stream), this.lastRevision(stream)];
        return [stream, first < last ? first : last];
      }),
    );
    const isKept = ({ stream, revision }: LoggedEvent): boolean => revision >= firstOf.get(stream)!;
    for (const [stream, events] of this.streams) this.streams.set(stream, events.filter(isKept));
    this.events.splice(0, this.events.length, ...this.events.filter(isKept));
  }

  writeSystemEvent(): void {
    this.write('$stats-127.0.0.1', [systemEvent('$statsCollected')]);
  }

  private lastRevision(stream: string): bigint {
    return this.streams.get(stream)?.at(-1)?.revision ?? -1n;
  }

  private wrongVersion(last: bigint): AppendOutcome {
    return { kind: 'wrong-expected-version', current: last < 0n ? undefined : last };
  }

  private findRepeatedAppend(stream: string, after: bigint, events: readonly ProposedEvent[]): AppendOutcome {
    const stored = this.streams.get(stream) ?? [];
    const offset = Number(after + 1n - (stored[0]?.revision ?? 0n));
    if (!events.every((event, index) => stored[offset + index]?.id === event.id)) {
      return this.wrongVersion(this.lastRevision(stream));
    }
    const last = stored[offset + events.length - 1] as LoggedEvent;
    const position = last.revision < this.firstReadable(stream) ? undefined : last.position;
    return { kind: 'committed', revision: last.revision, position, isCopy: true };
  }

  private firstReadable(stream: string): bigint {
    if (stream.startsWith('$$') || this.isTombstoned(stream)) return this.lastRevision(stream);
    const { $maxCount, $tb = 0 } = this.readMetadata(stream);
    const kept = $maxCount === undefined ? 0n : this.lastRevision(stream) - BigInt($maxCount) + 1n;
    return kept > BigInt($tb) ? kept : BigInt($tb);
  }

  /** True for the stream's metadata as well. */
  private isTombstoned(stream: string): boolean {
    return this.streams.get(stream.replace(/^\$\$/, ''))?.at(-1)?.type === TOMBSTONE_TYPE;
  }

  private isDeleted(stream: string): boolean {
    return this.readMetadata(stream).$tb === DELETED;
  }

  private readMetadata(stream: string): { readonly $maxCount?: number; readonly $tb?: number } {
    const metadata = this.streams.get(`$$${stream}`)?.at(-1);
    return metadata ? (JSON.parse(Buffer.from(metadata.data).toString()) as object) : {};
  }

  private writeMetadata(stream: string, change: object): void {
    const data = Buffer.from(JSON.stringify({ ...this.readMetadata(stream), ...change }));
    this.write(`$$${stream}`, [{ ...systemEvent('$metadata'), data }]);
  }

  private write(stream: string, events: readonly ProposedEvent[]): void {
    const created = BigInt(Date.now()) * 10_000n;
    const line: Line = {
      stream,
      created: created.toString(),
      events: events.map(({ data, metadata, ...event }) => ({
        ...event,
        data: Buffer.from(data).toString('base64'),
        metadata: Buffer.from(metadata).toString('base64'),
      })),
    };
    appendFileSync(this.options.file, JSON.stringify(line) + '\n');
    this.add(stream, created, events);
  }

  private add(stream: string, created: bigint, events: readonly ProposedEvent[]): void {
    const stored = this.streams.get(stream) ?? [];
    this.streams.set(stream, stored);
    const first = this.lastRevision(stream) + 1n;
    for (const [index, event] of events.entries()) {
      const revision = event.type === TOMBSTONE_TYPE ? TOMBSTONE_REVISION : first + BigInt(index);
      const logged: LoggedEvent = { ...event, stream, revision, position: this.end, created };
      this.recordStarts.add(this.end);
      this.end += recordSize(event);
      stored.push(logged);
      this.events.push(logged);
      this.recentIds.set(`${stream}\n${event.id}`, logged);
      for (const listener of this.listeners) listener(logged);
    }
  }

  private interleaveSystemEvent(appended: number): void {
    this.sinceSystemEvent += appended;
    if (this.sinceSystemEvent < this.options.systemEventEvery) return;
    this.sinceSystemEvent = 0;
    this.writeSystemEvent();
  }

  private writeFirstSystemEvents(): void {
    this.write('$$$settings', [systemEvent('$metadata')]);
    this.write('$user-admin', [systemEvent('$UserCreated')]);
    this.write('$persistentSubscriptionConfig', [systemEvent('PersistentConfig1')]); // no `$` in its type
  }

  /** Cuts off a line that a kill left unfinished: no client has an answer to that append. */
  private load(): void {
    const content = readFileSync(this.options.file);
    const end = content.lastIndexOf('\n') + 1;
    if (end < content.length) truncateSync(this.options.file, end);
    for (const text of content.subarray(0, end).toString().split('\n')) {
      if (text === '') continue;
      const line = JSON.parse(text) as Line;
      const events = line.events.map(({ data, metadata, ...event }) => ({
        ...event,
        data: Buffer.from(data, 'base64'),
        metadata: Buffer.from(metadata, 'base64'),
      }));
      this.add(line.stream, BigInt(line.created), events);
    }
  }
}

/**
 * The revision before which a deleted stream is truncated: the largest int64, as far as JSON numbers can represent it.
 */
const DELETED = Number(9_223_372_036_854_775_807n);

const TOMBSTONE_TYPE = '$streamDeleted';
const TOMBSTONE_REVISION = 9_223_372_036_854_775_807n;

const systemEvent = (type: string): ProposedEvent => ({
  id: crypto.randomUUID(),
  type,
  isJson: true,
  data: Buffer.from('{}'),
  metadata: new Uint8Array(),
});
