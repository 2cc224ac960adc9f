import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';
import {
  type Batch,
  BEGINNING,
  type Position,
  type ReadAllOptions,
  type StoredEvent,
  type SubscribeOptions,
} from '../port.js';

/** The poll is a safety net for a lost notification; the notification is what wakes. */
const POLL_MS = 400;
const RING_EVENTS = 4_096;
const RING_BYTES = 32 * 1_048_576;
const PAGE_EVENTS = 1_000;
/** Positions that are looked through for a few types in one read: some tens of milliseconds. */
const WINDOW = 50_000n;

/**
 * Follows the end of the log for every subscriber of this process: new events are read once, kept in a ring, and handed
 * to all who stand inside it; who is further behind reads pages from the table. What this process has appended itself is
 * not read again: see {@link Tail.appended}.
 */
export class Tail {
  private readonly ring: StoredEvent[] = [];
  private ringBytes = 0;
  /** The ring holds everything after this position; null while nobody follows. */
  private ringStart: Position | null = null;
  /** The ring has come as far as this: every event up to here has passed through it, or lay before its start. */
  private head: Position = BEGINNING;
  /** What this process has appended behind events of others that are still to be read; in order. */
  private readonly ahead: StoredEvent[] = [];
  private readonly sleepers = new Set<() => void>();
  private readonly stopping = new AbortController();
  private stirred = false;
  private lost = false;
  /** Why the ring was given up the last time: each follower tells of it once. */
  private interruption: Error | null = null;
  private wakePump: () => void = () => undefined;
  private pumping: Promise<void> | null = null;

  constructor(
    private readonly options: { connectionString: string; schema: string; log: Log; window?: bigint },
    /** `upTo`: the last position that is looked at. */
    private readonly readAll: (options: ReadAllOptions & { readonly upTo?: Position }) => Promise<StoredEvent[]>,
  ) {
    setMaxListeners(0, this.stopping.signal); // one for every follower
  }

  /** Port: {@link EventStore.subscribe}. */
  async *follow({ after, types, signal, maxBatch = 500, onDrop }: SubscribeOptions): AsyncIterable<Batch> {
    this.pumping ??= this.pump();
    const wanted = types && new Set(types);
    let position = after;
    let live = false;
    let failures = 0;
    let { interruption } = this;
    while (!signal.aborted && !this.stopping.signal.aborted) {
      if (this.interruption && this.interruption !== interruption) onDrop?.((interruption = this.interruption));
      let page: StoredEvent[];
      let end: Position | null = null;
      const ringStart = this.ringStart;
      try {
        if (types && ringStart !== null && position < ringStart) {
          // Who wants a few types and is far behind is not sent all that lies between them.
          const next = position + (this.options.window ?? WINDOW);
          const upTo = next < ringStart ? next : ringStart;
          page = await this.readAll({ after: position, limit: maxBatch, types, upTo });
          if (page.length < maxBatch) end = upTo;
        } else page = this.fromRing(position, maxBatch) ?? [];
        // The ring may be a moment behind: only the table can say that the end is reached for the first time.
        if (end === null && page.length === 0 && (!live || this.isBeforeRing(position))) {
          page = await this.readAll({ after: position, limit: maxBatch });
        }
        failures = 0;
      } catch (error) {
        onDrop?.(error as Error);
        await pause(backoff(failures++), signal);
        continue;
      }
      const wasLive = live;
      live = end === null && page.length < maxBatch;
      position = end ?? page.at(-1)?.position ?? position;
      // Nothing between here and the ring (retention cut it off): step into the ring.
      if (end === null && page.length === 0 && ringStart !== null && ringStart > position) position = ringStart;
      if (page.length > 0 || end !== null || (live && !wasLive)) {
        yield { events: wanted ? page.filter(({ type }) => wanted.has(type)) : page, position, live };
      } else await this.news(position, signal);
    }
  }

  /**
   * Takes up what this process has just committed: events in order, without a gap. Positions are gapless and in the order
   * of commits, so what begins right behind the ring's end is what a read would find there; where another process has
   * written in between, only that is read. @param base the position before the first of them @param written makes them up,
   * for those who follow
   */
  appended(base: Position, written: () => readonly StoredEvent[]): void {
    if (this.ringStart === null || base < this.head) return; // nobody follows, or it was read already
    const events = written();
    if (events.length === 0) return;
    const first = base + 1n;
    if (first === this.head + 1n) return this.takeUp(events);
    if (this.ahead.length + events.length > RING_EVENTS) return this.readAhead();
    this.ahead.push(...events);
    this.wakePump();
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.wakePump();
    await this.pumping;
  }

  private isBeforeRing(position: Position): boolean {
    return this.ringStart === null || position < this.ringStart;
  }

  /** What the ring has after a position; null where it does not reach back so far. */
  private fromRing(after: Position, limit: number): StoredEvent[] | null {
    if (this.isBeforeRing(after)) return null;
    const newest = this.ring.at(-1)?.position;
    if (newest === undefined || newest <= after) return [];
    let low = 0;
    let high = this.ring.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ring[middle]!.position <= after) low = middle + 1;
      else high = middle;
    }
    return this.ring.slice(low, low + limit);
  }

  /** Waits until there may be something after a position. */
  private news(position: Position, signal: AbortSignal): Promise<void> {
    if (this.ringStart === null || (this.ring.at(-1)?.position ?? this.ringStart) > position) {
      return pause(this.ringStart === null ? 25 : 0, signal);
    }
    // An abort that came during a read has fired already: nobody would wake us.
    if (signal.aborted || this.stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.sleepers.delete(done);
        signal.removeEventListener('abort', done);
        this.stopping.signal.removeEventListener('abort', done);
        resolve();
      };
      this.sleepers.add(done);
      signal.addEventListener('abort', done);
      this.stopping.signal.addEventListener('abort', done);
    });
  }

  /** Listens, reads what is new into the ring, wakes the followers; over and over, through every outage. */
  private async pump(): Promise<void> {
    const { signal } = this.stopping;
    let failures = 0;
    while (!signal.aborted) {
      let client: pg.Client | null = null;
      try {
        client = await this.listen();
        this.head = await this.headNow(client);
        this.ringStart = this.head; // whoever stands before it reads pages until it has caught up
        this.ring.length = this.ringBytes = this.ahead.length = 0;
        this.wakeAll();
        failures = 0;
        while (!signal.aborted) {
          const hasMore = await this.readOn();
          if (!hasMore && this.ahead.length === 0) await this.rest();
          if (this.lost) throw new Error('the listening connection was lost');
        }
      } catch (error) {
        this.options.log.warn({ error: reasonOf(error) }, 'following the event log was interrupted');
        if (this.ringStart !== null) this.interruption = error as Error;
        this.ringStart = null;
        this.wakeAll();
        await pause(backoff(failures++), signal);
      } finally {
        await client?.end().catch(() => undefined);
      }
    }
  }

  /** Reads a page, or only as far as the events that this process has appended. @returns whether more is known to follow */
  private async readOn(): Promise<boolean> {
    const own = this.ahead[0]?.position;
    if (own === undefined) this.stirred = false; // a notification may be of what comes after them
    const limit = own === undefined ? PAGE_EVENTS : Math.min(PAGE_EVENTS, Number(own - this.head) - 1);
    const page = await this.readAll({ after: this.head, limit });
    this.takeUp(page.filter(({ position }) => position > this.head)); // some may have been appended meanwhile
    // All that stands before a committed event is committed: what was not found is no longer there.
    if (own !== undefined && own > this.head && page.length < limit) {
      this.head = own - 1n;
      this.takeUp([]);
    }
    return page.length === PAGE_EVENTS;
  }

  /** What this process has appended is too much to be kept until what stands before it is read: it is read as well. */
  private readAhead(): void {
    this.ahead.length = 0;
    this.stir();
  }

  private async listen(): Promise<pg.Client> {
    const { connectionString, schema } = this.options;
    const client = new pg.Client({
      connectionString,
      application_name: 'crosspost tail',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    });
    this.lost = false;
    const lost = () => {
      this.lost = true;
      this.wakePump();
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload = '' }) => {
      // The answer to an append of our own, which comes at the same time, is let in first.
      setImmediate(() => {
        if (BigInt(payload) > (this.ahead.at(-1)?.position ?? this.head)) this.stir();
      });
    });
    await client.connect();
    await client.query(`listen ${schema}`);
    return client;
  }

  private async headNow(client: pg.Client): Promise<Position> {
    const { rows } = await client.query<{ position: string }>(`select position from ${this.options.schema}.head`);
    return BigInt(rows[0]?.position ?? 0);
  }

  /** Has the pump read on. */
  private stir(): void {
    this.stirred = true;
    this.wakePump();
  }

  /** Until it is stirred, the poll's time, or the connection's end (which the next read will notice). */
  private async rest(): Promise<void> {
    if (this.stirred || this.stopping.signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wakePump = resolve;
      timer = setTimeout(resolve, POLL_MS);
    });
    clearTimeout(timer);
    this.wakePump = () => undefined;
  }

  /** Takes up what follows the ring's end, and what is known to follow that. */
  private takeUp(page: readonly StoredEvent[]): void {
    this.keep(page);
    this.head = page.at(-1)?.position ?? this.head;
    let known = 0;
    let next = this.head + 1n;
    for (; known < this.ahead.length && this.ahead[known]!.position <= next; known++) {
      if (this.ahead[known]!.position === next) next += 1n;
    }
    const following = this.ahead.splice(0, known).filter(({ position }) => position > this.head);
    this.keep(following);
    this.head = following.at(-1)?.position ?? this.head;
    if (page.length + following.length > 0) this.wakeAll();
  }

  private keep(page: readonly StoredEvent[]): void {
    this.ring.push(...page);
    for (const { data, metadata } of page) this.ringBytes += data.length + metadata.length;
    let cut = 0;
    while (this.ring.length - cut > RING_EVENTS || this.ringBytes > RING_BYTES) {
      const { data, metadata, position } = this.ring[cut++]!;
      this.ringBytes -= data.length + metadata.length;
      this.ringStart = position;
    }
    if (cut > 0) this.ring.splice(0, cut);
  }

  private wakeAll(): void {
    for (const wake of [...this.sleepers]) wake();
  }
}

const backoff = (failures: number): number => Math.min(5_000, 50 * 2 ** failures) * (0.5 + Math.random() / 2);

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
