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
import { covers, either, type TypeFilter, wants } from '../type-filter.js';
import { type Handed, Ring } from './event-buffer.js';

/** The poll is a safety net for a lost notification; the notification is what wakes. */
const POLL_MS = 400;
const PAGE_EVENTS = 1_000;
/** Positions that are looked through for some types in one read: some tens of milliseconds. */
const WINDOW = 50_000n;
/** While so many positions at a time hold nothing that anyone here wants, as many more are awaited before the next look. */
const MANY = 10n;
const GATHER_MS = 20;

/** A page of the log that ends at a position, where one is given. */
export type ReadUpTo = (options: ReadAllOptions & { readonly upTo?: Position }) => Promise<StoredEvent[]>;

/**
 * Follows the end of the log for every subscriber of this process: new events that any of them wants are read once, kept
 * in a ring, and handed to all who stand inside it; who is further behind reads pages from the table. What this process
 * has appended itself is not read again: see {@link Tail.appended}.
 */
export class Tail {
  private readonly ring = new Ring();
  /** What the ring is filled with. */
  private wanted: TypeFilter = { types: [] };
  private isWanted = wants(this.wanted);
  /** The log is known to reach so far at least. */
  private told: Position = BEGINNING;
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
    private readonly readUpTo: ReadUpTo,
  ) {
    setMaxListeners(0, this.stopping.signal); // one for every follower
  }

  /** Port: {@link EventStore.subscribe}. */
  async *follow({ after, signal, maxBatch = 500, onDrop, types, except }: SubscribeOptions): AsyncIterable<Batch> {
    const filter = { ...(types && { types }), ...(except && { except }) };
    const isWanted = wants(filter);
    this.fillWith(filter);
    this.pumping ??= this.pump();
    let position = after;
    let live = false;
    let failures = 0;
    let { interruption } = this;
    while (!signal.aborted && !this.stopping.signal.aborted) {
      if (this.interruption && this.interruption !== interruption) onDrop?.((interruption = this.interruption));
      let handed: Handed;
      try {
        handed = await this.next(position, filter, maxBatch, live);
        failures = 0;
      } catch (error) {
        onDrop?.(error as Error);
        await pause(backoff(failures++), signal);
        continue;
      }
      const isNews = handed.position > position || (handed.isEnd && !live);
      live = handed.isEnd;
      position = handed.position;
      if (isNews) yield { events: handed.events.filter(({ type }) => isWanted(type)), position, live };
      else await this.news(position, signal);
    }
  }

  /**
   * Takes up what this process has just committed behind a position, up to another one. Positions are gapless and in the
   * order of commits, so what begins right behind the ring's end is what a read would find there; where another process
   * has written in between, only that is read. @param written makes those events up that somebody follows, in order
   */
  appended(after: Position, end: Position, written: (isWanted: (type: string) => boolean) => StoredEvent[]): void {
    if (this.ring.start === null || end <= this.ring.head) return; // nobody follows, or it was read already
    if (this.ring.add({ after, end, events: written(this.isWanted) })) return this.wakeAll();
    if (end > this.told) this.told = end;
    this.wakePump();
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.wakePump();
    await this.pumping;
  }

  /** Has the ring be filled with what a follower wants, too; what has passed until now is for the table to tell. */
  private fillWith(filter: TypeFilter): void {
    if (covers(this.wanted, filter)) return;
    this.wanted = either(this.wanted, filter);
    this.isWanted = wants(this.wanted);
    if (this.ring.start === null) return;
    if (this.ring.known > this.told) this.told = this.ring.known;
    this.ring.reset(this.ring.head);
    this.stir();
  }

  /** What follows a position, from the ring or from the table. */
  private async next(after: Position, filter: TypeFilter, limit: number, live: boolean): Promise<Handed> {
    const handed = this.ring.read(after, limit) ?? (await this.readBehind(after, filter, limit));
    if (handed.events.length > 0 || !handed.isEnd || live) return handed;
    // The ring may be a moment behind: only the table can say that the end is reached for the first time.
    return this.readOnto(handed.position, filter, limit);
  }

  /** What follows a position before the ring's start. */
  private async readBehind(after: Position, filter: TypeFilter, limit: number): Promise<Handed> {
    const { start } = this.ring;
    if (start === null) return this.readOnto(after, {}, limit);
    // Who wants a part and is far behind is not sent all that lies between.
    const isPart = filter.types !== undefined || filter.except !== undefined;
    const next = after + (this.options.window ?? WINDOW);
    const upTo = isPart && next < start ? next : start;
    const events = await this.readUpTo({ ...filter, after, upTo, limit });
    const position = events.length === limit ? events.at(-1)!.position : upTo;
    return { events, position, isEnd: false };
  }

  private async readOnto(after: Position, filter: TypeFilter, limit: number): Promise<Handed> {
    const events = await this.readUpTo({ ...filter, after, limit });
    return { events, position: events.at(-1)?.position ?? after, isEnd: events.length < limit };
  }

  /** Waits until there may be something after a position. */
  private news(position: Position, signal: AbortSignal): Promise<void> {
    if (this.ring.start === null || this.ring.head > position) {
      return pause(this.ring.start === null ? 25 : 0, signal);
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
        this.told = await this.headNow(client);
        this.ring.reset(this.told); // whoever stands before it reads pages until it has caught up
        this.wakeAll();
        failures = 0;
        while (!signal.aborted) {
          const hasMore = await this.readOn();
          if (!hasMore && this.ring.gap === null && !(await this.isStirred())) this.told = await this.headNow(client);
          if (this.lost) throw new Error('the listening connection was lost');
        }
      } catch (error) {
        this.options.log.warn({ error: reasonOf(error) }, 'following the event log was interrupted');
        if (this.ring.start !== null) this.interruption = error as Error;
        this.ring.giveUp();
        this.wakeAll();
        await pause(backoff(failures++), signal);
      } finally {
        await client?.end().catch(() => undefined);
      }
    }
  }

  /** Reads a page, or only as far as the events that this process has appended. @returns whether more is known to follow */
  private async readOn(): Promise<boolean> {
    const { wanted, told } = this;
    const { head, gap } = this.ring;
    if (gap === null) this.stirred = false; // a notification may be of what comes after them
    if (gap === null && told <= head) return false;
    const upTo = gap ?? told;
    const events = await this.readUpTo({ ...wanted, after: head, upTo, limit: PAGE_EVENTS });
    if (wanted !== this.wanted) return true; // somebody wants more of them
    const isFull = events.length === PAGE_EVENTS;
    const end = isFull ? events.at(-1)!.position : upTo;
    if (this.ring.add({ after: head, end, events })) this.wakeAll();
    if (events.length === 0 && end - head >= MANY) await pause(GATHER_MS, this.stopping.signal);
    return isFull;
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
        const told = BigInt(payload);
        if (told <= this.ring.known) return;
        if (told > this.told) this.told = told;
        this.stir();
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

  /** Waits until it is stirred, or for the poll's time, or the connection's end. @returns whether it was stirred */
  private async isStirred(): Promise<boolean> {
    if (this.stirred || this.lost || this.stopping.signal.aborted) return true;
    let timer: NodeJS.Timeout | undefined;
    const isStirred = await new Promise<boolean>((resolve) => {
      this.wakePump = () => resolve(true);
      timer = setTimeout(() => resolve(false), POLL_MS);
    });
    clearTimeout(timer);
    this.wakePump = () => undefined;
    return isStirred;
  }

  private wakeAll(): void {
    for (const wake of [...this.sleepers]) wake();
  }
}

const backoff = (failures: number): number => Math.min(5_000, 50 * 2 ** failures) * (0.5 + Math.random() / 2);

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
