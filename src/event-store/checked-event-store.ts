import type { Log } from '../kernel/log.js';
import { isUnavailable } from '../postgres/unavailable.js';
import { Backoff } from '../runtime/backoff.js';
import { sleepUnlessAborted } from '../runtime/sleep.js';
import { STORE_MESSAGES } from './messages.js';
import {
  type AppendCondition,
  type AppendFailure,
  type AppendResult,
  type Batch,
  type EventArchive,
  type EventStore,
  type EventStoreAdapter,
  type ExpectedRevision,
  isFullPage,
  type NewEvent,
  NotAppended,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type StoredEvent,
  type StoreNotes,
  type SubscribeOptions,
  Unavailable,
  WrongEventStore,
} from './port.js';
import type { FoundLoss, KnownStore, StoreCheck } from './store-check.js';
import {
  IMPORT_ENDED,
  IMPORT_STARTED,
  IMPORT_STREAM,
  isHistory,
  isKeptForGood,
  type SeenEvent,
} from './store-records.js';

/** Interval between checks while connected to the wrong store, in ms. */
const RECHECK_MS = 1_000;

/** Interval at which a process checks whether an import has finished, in ms. */
const IMPORT_LOOK_MS = 250;

/** Store access for an import: it sees the import's marks, and may append while others may not (ADR-133). */
export interface ImportAccess extends Pick<
  EventStoreAdapter,
  'append' | 'readStream' | 'readAll' | 'readHead' | 'setRetention' | 'commitsInOrder'
> {
  /** Reads the state of the latest import; null if there has been none. */
  readState(): Promise<'running' | 'ended' | null>;
}

/** Figures about the connection to the store, for health and metrics. */
export interface StoreConnection {
  /** Identity of the store that was checked last. */
  readonly id: string | null;
  /** Human-readable reason why the store is not used; null if it is. */
  readonly problem: string | null;
  readonly droppedSubscriptions: number;
  readonly lostConnections: number;
}

/**
 * An event store that is checked at startup, after every lost connection (ADR-124), and when its log ends before an
 * event that this process has seen. No call returns a result before the check has passed: an append to another store is
 * never reported as written, and no event of another store is delivered. Until the check passes, calls throw its error,
 * such as {@link WrongEventStore}, and subscriptions wait.
 */
export class CheckedEventStore implements EventStore {
  private known: KnownStore | null = null;
  private wrong: { readonly problem: string; readonly since: number } | null = null;
  /** The newest event, of those that are never deleted, that this process has appended or read. */
  private seenEvent: StoredEvent | (NewEvent & Pick<StoredEvent, 'stream' | 'revision' | 'position'>) | null = null;
  private reportLoss: ((loss: FoundLoss) => void) | null = null;
  /** Aborted when the connection is lost; null until the store has been checked again. */
  private trust: AbortController | null = null;
  private checking: Promise<void> | null = null;
  private recheck: NodeJS.Timeout | null = null;
  private changes = 0;
  private readonly closing = new AbortController();
  private droppedSubscriptions = 0;
  private lostConnections = 0;
  /** Time at which this process noticed an unfinished import in the store; null if there is none. */
  private importSince: number | null = null;

  constructor(
    private readonly store: EventStoreAdapter,
    private readonly check: Pick<StoreCheck, 'run'>,
    private readonly log: Log,
  ) {
    store.onConnectionLoss(() => this.handleLoss());
  }

  /** Checks the store for the first time. @throws WrongEventStore @throws Unavailable @throws the database's errors */
  async start(): Promise<void> {
    await this.ensureTrust();
  }

  /** The newest event that this process has seen; null if there is none. Deleted events do not count. */
  get seen(): SeenEvent | null {
    if (!this.seenEvent) return null;
    const { stream, revision, position, id } = this.seenEvent;
    return { stream, revision: String(revision), position: String(position), id };
  }

  /** Calls the listener once this process knows that events which it has seen are lost; nothing is read until then. */
  onEventsLost(listener: (loss: FoundLoss) => void): void {
    this.reportLoss = listener;
  }

  get connection(): StoreConnection {
    const { droppedSubscriptions, lostConnections } = this;
    const { id = null } = this.known ?? {};
    return { id, problem: this.wrong?.problem ?? null, droppedSubscriptions, lostConnections };
  }

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    condition?: AppendCondition | null,
  ): Promise<AppendResult> {
    return this.call(async () => {
      if (this.importSince !== null) throw new NotAppended(STORE_MESSAGES.importUnfinished);
      const result = await this.store.append(stream, expected, events, condition);
      this.see({ ...events.at(-1)!, stream, ...result });
      return result;
    });
  }

  get appendTogether(): EventStore['appendTogether'] {
    const { store } = this;
    if (store.appendTogether === null) return null;
    return (appends) =>
      this.call(async () => {
        if (this.importSince !== null) throw new NotAppended(STORE_MESSAGES.importUnfinished);
        const position = await store.appendTogether!(appends);
        const { stream, expected, events } = appends.at(-1)!;
        const revision = (expected === 'noStream' ? -1n : expected) + BigInt(events.length);
        this.see({ ...events.at(-1)!, stream, revision, position });
        return position;
      });
  }

  async readStream(stream: string, options?: ReadStreamOptions): Promise<StoredEvent[]> {
    const events = await this.call(() => this.store.readStream(stream, options));
    if (events.length > 0) this.see(options?.direction === 'backwards' ? events[0]! : events.at(-1)!);
    return events.every(isHistory) ? events : events.filter(isHistory);
  }

  /** Reads past an import's marks, so that a short page means the end of the log. */
  async readAll(options: ReadAllOptions): Promise<StoredEvent[]> {
    const { limit } = options;
    let page = await this.call(() => this.store.readAll(options));
    const events = page.filter(isHistory);
    for (let asked = limit; isFullPage(page, asked) && !isFullPage(events, limit);) {
      const after = page.at(-1)!.position;
      asked = limit - events.length;
      page = await this.call(() => this.store.readAll({ ...options, after, limit: asked }));
      events.push(...page.filter(isHistory));
    }
    return events;
  }

  openForImport(): ImportAccess {
    const { store } = this;
    return {
      commitsInOrder: store.commitsInOrder,
      append: (stream, expected, events) => this.call(() => store.append(stream, expected, events)),
      readStream: (stream, options) => this.call(() => store.readStream(stream, options)),
      readAll: (options) => this.call(() => store.readAll(options)),
      readHead: () => this.call(() => store.readHead()),
      setRetention: (stream, maxCount) => this.call(() => store.setRetention(stream, maxCount)),
      readState: () => this.call(() => this.readImportState()),
    };
  }

  get archive(): EventArchive | null {
    return this.store.archive;
  }

  get notes(): StoreNotes | null {
    const { notes } = this.store;
    return (
      notes && {
        readNote: (name) => this.call(() => notes.readNote(name)),
        writeNote: (name, note) => this.call(() => notes.writeNote(name, note)),
      }
    );
  }

  async readHead(): Promise<Position> {
    const head = await this.call(() => this.store.readHead());
    if (!this.seenEvent || head >= this.seenEvent.position) return head;
    this.handleLoss(); // checks the store before anything else is returned
    return this.call(() => this.store.readHead());
  }

  async *subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    const onDrop = (error: Error): void => {
      this.droppedSubscriptions += 1;
      options.onDrop?.(error);
    };
    const backoff = new Backoff();
    let { after } = options;
    while (!signal.aborted) {
      const trust = await this.ensureTrust().catch(() => null); // the check logs its result, and other calls report it
      if (trust === null) {
        await backoff.wait(signal);
        continue;
      }
      backoff.reset();
      const untilChange = AbortSignal.any([signal, trust]);
      // The mark precedes all events of an import. A subscription that receives the mark, or starts after it, waits
      // until the import has finished.
      const types = options.types && [...options.types, IMPORT_STARTED];
      await this.untilImported(untilChange);
      for await (const batch of this.store.subscribe({
        ...options,
        after,
        signal: untilChange,
        onDrop,
        ...(types && { types }),
      })) {
        if (batch.events.some(({ type }) => type === IMPORT_STARTED)) await this.untilImported(untilChange, true);
        if (untilChange.aborted) break; // the batch may be from another store
        after = batch.position;
        const newest = batch.events.findLast(({ type }) => isKeptForGood(type));
        if (newest) this.see(newest);
        yield batch.events.every(isHistory) ? batch : { ...batch, events: batch.events.filter(isHistory) };
      }
    }
  }

  setRetention(stream: string, maxCount: number): Promise<void> {
    return this.call(() => this.store.setRetention(stream, maxCount));
  }

  deleteStream(stream: string): Promise<void> {
    return this.call(() => this.store.deleteStream(stream));
  }

  get appendFailure(): AppendFailure | null {
    if (this.wrong) return { code: 'WRONG_EVENT_STORE', message: this.wrong.problem, since: this.wrong.since };
    if (this.importSince === null) return this.store.appendFailure;
    return { code: 'IMPORT_UNFINISHED', message: STORE_MESSAGES.importUnfinished, since: this.importSince };
  }

  checkAppends(): void {
    this.store.checkAppends();
  }

  close(): Promise<void> {
    this.closing.abort();
    if (this.recheck) clearTimeout(this.recheck);
    return this.store.close();
  }

  /**
   * Makes a call once the store has passed the check. If the connection is lost during the call, waits for another
   * check before returning the result.
   */
  private async call<T>(start: () => Promise<T>): Promise<T> {
    const { trust } = this;
    const before = trust === null ? await this.ensureTrust() : trust.signal;
    const result = await start();
    if (before.aborted) await this.ensureTrust();
    return result;
  }

  /**
   * Waits while the store holds an unfinished import.
   * @param look true to check for an import even if this process knows of none
   */
  private async untilImported(signal: AbortSignal, look = this.importSince !== null): Promise<void> {
    for (let mustLook = look; mustLook && !signal.aborted;) {
      const state = await this.readImportState().catch(() => 'unknown'); // a failed read is no reason to refuse appends
      mustLook = state === 'running' || state === 'unknown';
      if (mustLook) await sleepUnlessAborted(IMPORT_LOOK_MS, signal);
    }
  }

  private async readImportState(): Promise<'running' | 'ended' | null> {
    const [last] = await this.store.readStream(IMPORT_STREAM, { direction: 'backwards', limit: 1 });
    const isRunning = last !== undefined && last.type !== IMPORT_ENDED;
    if (isRunning && this.importSince === null) this.log.warn({}, STORE_MESSAGES.importUnfinished);
    if (!isRunning && this.importSince !== null) this.log.info({}, STORE_MESSAGES.importEnded);
    this.importSince = isRunning ? (this.importSince ?? Date.now()) : null;
    if (last === undefined) return null;
    return isRunning ? 'running' : 'ended';
  }

  private see(event: NonNullable<CheckedEventStore['seenEvent']>): void {
    const { seenEvent } = this;
    if ((seenEvent === null || event.position > seenEvent.position) && isKeptForGood(event.type))
      this.seenEvent = event;
  }

  private handleLoss(): void {
    this.changes += 1;
    if (!this.trust) return;
    this.lostConnections += 1;
    this.trust.abort();
    this.trust = null;
    this.checkLater(0); // so that health is up to date even in a process that makes no calls
  }

  private checkLater(ms: number): void {
    if (this.recheck) clearTimeout(this.recheck);
    if (this.closing.signal.aborted) return;
    this.recheck = setTimeout(() => void this.checkOnce().catch(() => undefined), ms).unref();
  }

  /**
   * Waits until the store has passed the check; concurrent callers share one check. Returns a signal that aborts when
   * the connection is lost.
   * @throws Unavailable @throws WrongEventStore
   */
  private async ensureTrust(): Promise<AbortSignal> {
    while (!this.trust) {
      if (this.wrong) throw new WrongEventStore(this.wrong.problem); // checked again in the background
      await this.checkOnce();
    }
    return this.trust.signal;
  }

  private checkOnce(): Promise<void> {
    if (this.closing.signal.aborted) throw new Unavailable('the event store is closed');
    return (this.checking ??= this.runCheck()
      .catch((error: unknown) => {
        if (this.wrong) this.checkLater(RECHECK_MS); // after any error, because calls do not recheck a wrong store
        throw error;
      })
      .finally(() => (this.checking = null)));
  }

  private async runCheck(): Promise<void> {
    const { changes } = this;
    const known = this.known && { ...this.known, seen: this.seen };
    const verdict = await this.check.run(known, this.wrong ? 0 : undefined).catch((error: unknown) => {
      throw isUnavailable(error)
        ? new Unavailable('the database that identifies the event store does not answer', { cause: error })
        : error;
    });
    if (this.changes !== changes) return this.checkLater(0); // the results may come from two different stores
    if ('problem' in verdict) {
      this.reportWrongStore(verdict.problem);
      if (verdict.loss) this.reportLoss?.(verdict.loss);
      return;
    }
    await this.readImportState();
    if (this.changes !== changes) return this.checkLater(0);
    this.trustStore(verdict);
  }

  private trustStore(store: KnownStore): void {
    if (this.wrong) this.log.info({ event_store: store.id }, 'the right event store answers again');
    this.wrong = null;
    this.known = store;
    this.trust = new AbortController();
  }

  private reportWrongStore(problem: string): void {
    const { since = Date.now() } = this.wrong ?? {};
    if (!this.wrong) this.log.error({}, problem);
    this.wrong = { problem, since };
    this.checkLater(RECHECK_MS);
  }
}
