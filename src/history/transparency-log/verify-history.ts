import type { EventCodec } from '../../event-store/codec.js';
import { BEGINNING, type EventStore, isFullPage, type StoredEvent } from '../../event-store/port.js';
import type { Job, JobHandler } from '../../jobs/job.js';
import type { Json } from '../../kernel/ids.js';
import { payloadStreamName, type PostContent } from '../../projections/posts/post-payloads.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { findAggregate } from '../aggregates/catalogue.js';
import { PAGE, readLog } from '../read-log.js';
import type { AggregatePlaces } from '../time-travel/time-travel.js';
import { type EndedLog, type EndedLogTable, showEnded } from './ended-logs.js';
import { type BrokenEvent, EventMatcher, type FoundEvent, keyOf } from './event-matcher.js';
import { type LogHead, type LogTables, readEntries, type SealedEntry } from './log-tables.js';
import { appendEntries, EMPTY_TREE, rootOfEdge, type TreeEdge } from './merkle.js';
import { LOG_MESSAGES } from './messages.js';
import { type Checkpoint, openCheckpoint } from './published-checkpoint.js';

/** Scope of a verification. */
export interface HistoryCheck {
  /** True for each stream to verify; the tree is always verified as a whole. */
  readonly covers: (stream: string) => boolean;
  /** A single stream to read instead of the whole store; null for several. */
  readonly stream: string | null;
  /** An earlier checkpoint to compare with the tree; null for none. */
  readonly checkpoint: Checkpoint | null;
}

/** Result of a verification (management-api.md: `POST /history/verify`). */
export interface HistoryVerdict {
  /** Number of events that were verified. */
  readonly events: number;
  readonly broken: readonly BrokenEvent[];
  readonly checkpoint: null | 'consistent' | 'inconsistent';
}

/** Dependencies of {@link verifyHistory}. */
export interface VerificationDependencies {
  readonly tables: LogTables;
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly sealKey: Buffer;
}

/** The log's own tables contradict each other, and no event shows where. */
export class DamagedLog extends Error {}

/** Number of streams with cached hashes. */
const REMEMBERED_STREAMS = 200_000;
const WITH_PAYLOAD: ReadonlySet<string> = new Set<PostContent['type'] | 'PostEdited'>([
  'PostAccepted',
  'PostRevised',
  'PostEdited',
]);
/**
 * Matches streams with events that the gateway itself deletes: by retention, or once they are no longer needed. Entries
 * that name ended logs (`historyLog`) belong to no event.
 */
export const DELETED_LATER = /^(requestLog|translation|payload|historyLog)-/;

/**
 * Verifies every event's hash and chain, the order of the events, the entries and tree of the transparency log, and an
 * earlier checkpoint against the tree. A change can only go undetected if the head was forged, and an older checkpoint
 * reveals that.
 * @throws DamagedLog @throws Unavailable
 */
export const verifyHistory = async (
  deps: VerificationDependencies,
  check: HistoryCheck,
  { report, signal }: { readonly report: (progress: number) => void; readonly signal: AbortSignal },
): Promise<HistoryVerdict> => new HistoryVerification(deps, check, report, signal).run();

class HistoryVerification {
  private readonly matcher: EventMatcher;
  /** Hash of the last event of each stream: from the log, or from the event itself if the log lacks it. */
  private readonly lastHashes = new BoundedCache<{ revision: bigint; hash: string }>(REMEMBERED_STREAMS);
  private edge: TreeEdge = EMPTY_TREE;
  private rootThen: Buffer | null = null;
  private events = 0;

  constructor(
    private readonly deps: VerificationDependencies,
    private readonly check: HistoryCheck,
    private readonly report: (progress: number) => void,
    private readonly signal: AbortSignal,
  ) {
    this.matcher = new EventMatcher({
      exists: async (stream, revision) => (await this.readAt(stream, revision)) !== undefined,
      next: (after, count) => this.readKeysAfter(after, count),
      mayBeGone: (stream) => DELETED_LATER.test(stream),
    });
  }

  async run(): Promise<HistoryVerdict> {
    const { tables, sealKey } = this.deps;
    const head = await tables.readHead();
    const size = head?.size ?? 0;
    const bundles = readEntries(tables, size, sealKey);
    const loadEntries = async (): Promise<boolean> => {
      const next = await bundles.next();
      if (next.done) return false;
      this.addEntries(next.value);
      this.report(size === 0 ? 1 : Math.min(1, this.edge.size / size));
      return true;
    };
    let hasMore = true;
    for await (const event of this.readEvents(head)) {
      while (hasMore && this.matcher.needsEntries) hasMore = await loadEntries();
      if (this.signal.aborted) break;
      this.events++;
      const found = await this.inspect(event);
      const isCovered = head !== null && event.position <= head.position;
      const logged = await this.matcher.match(found, isCovered);
      this.lastHashes.set(event.stream, { revision: event.revision, hash: logged ?? found.hash });
      if (WITH_PAYLOAD.has(event.type) && found.isIntact) await this.inspectParts(event);
    }
    while (hasMore && !this.signal.aborted) hasMore = await loadEntries();
    await this.matcher.end();
    return this.conclude(head);
  }

  private addEntries(entries: readonly SealedEntry[]): void {
    const { checkpoint } = this.check;
    const add = (some: readonly SealedEntry[]) => (this.edge = appendEntries(this.edge, some).edge);
    const split = checkpoint ? checkpoint.size - this.edge.size : -1;
    if (split >= 0 && split <= entries.length && this.rootThen === null) {
      add(entries.slice(0, split));
      this.rootThen = rootOfEdge(this.edge);
      add(entries.slice(split));
    } else add(entries);
    this.matcher.addEntries(entries.filter(({ entry }) => entry === null || this.check.covers(entry.stream)));
  }

  private conclude(head: LogHead | null): HistoryVerdict {
    const { checkpoint } = this.check;
    const { broken } = this.matcher;
    if (checkpoint?.size === 0) this.rootThen = rootOfEdge(EMPTY_TREE);
    const signed = head && openCheckpoint(head.checkpoint, head.vkey);
    const fits = !head || (signed?.size === this.edge.size && signed.root.equals(rootOfEdge(this.edge)));
    if (!fits && broken.length === 0) throw new DamagedLog(LOG_MESSAGES.doesNotFitHead);
    if (!checkpoint) return { events: this.events, broken, checkpoint: null };
    const isConsistent = this.rootThen !== null && checkpoint.root.equals(this.rootThen);
    return { events: this.events, broken, checkpoint: isConsistent ? 'consistent' : 'inconsistent' };
  }

  /** Reads the events to verify, in the order of the log. */
  private async *readEvents(head: LogHead | null): AsyncGenerator<StoredEvent> {
    const { store } = this.deps;
    const { stream, covers } = this.check;
    if (stream !== null) {
      for (let from = 0n; ;) {
        const page = await store.readStream(stream, { from, limit: PAGE });
        yield* page;
        if (page.length < PAGE) return;
        from = page.at(-1)!.revision + 1n;
      }
    }
    const end = await store.readHead();
    if (end < 0n) return;
    const until = head && head.position > end ? head.position : end;
    // Reads from the store itself: a subscription may deliver events from this process's memory.
    for await (const page of readLog(store, { after: BEGINNING, until }))
      for (const event of page) if (covers(event.stream)) yield event;
  }

  /** Verifies an event's own hash, which is chained to the previous event's hash. */
  private async inspect(event: StoredEvent): Promise<FoundEvent> {
    const { codec } = this.deps;
    const { stream, revision, position } = event;
    const hash = readHash(codec, event);
    const previous = await this.previousHash(stream, revision);
    const isIntact = hash !== null && (previous === null || isHashOf(codec, event, previous));
    return { stream, revision, position, hash: hash ?? '', isIntact };
  }

  /** Checks that all parts of an accepted payload exist: only parts of posts that were never accepted are deleted. */
  private async inspectParts(event: StoredEvent): Promise<void> {
    const { postId, parts } = this.deps.codec.decode<PostContent>(event).data;
    if (!parts) return;
    const stream = payloadStreamName(parts.id ?? postId);
    const there = new Set(
      (await this.deps.store.readStream(stream, { limit: parts.count })).map(({ revision }) => revision),
    );
    for (let revision = 0; revision < parts.count; revision++)
      if (!there.has(BigInt(revision))) this.matcher.broken.push({ stream, revision, reason: 'removed' });
  }

  /** Returns the previous event's hash: empty before the first event; null if that event was deleted or is damaged. */
  private async previousHash(stream: string, revision: bigint): Promise<string | null> {
    if (revision === 0n) return '';
    const last = this.lastHashes.get(stream);
    if (last?.revision === revision - 1n) return last.hash;
    const before = await this.readAt(stream, revision - 1n);
    return before ? readHash(this.deps.codec, before) : null;
  }

  private async readAt(stream: string, revision: bigint): Promise<StoredEvent | undefined> {
    const [found] = await this.deps.store.readStream(stream, { from: revision, limit: 1 });
    return found?.revision === revision ? found : undefined;
  }

  private async readKeysAfter({ position, stream }: FoundEvent, count: number): Promise<readonly string[]> {
    const { store } = this.deps;
    if (this.check.stream !== null) {
      const events = await store.readStream(stream);
      const at = events.findIndex((event) => event.position === position);
      return events.slice(at + 1, at + 1 + count).map(keyOf);
    }
    const keys: string[] = [];
    for (let after = position; keys.length < count;) {
      const page = await store.readAll({ after, limit: Math.min(PAGE, count) });
      keys.push(...page.filter((event) => this.check.covers(event.stream)).map(keyOf));
      if (!isFullPage(page, Math.min(PAGE, count))) break;
      after = page.at(-1)!.position;
    }
    return keys.slice(0, count);
  }
}

const readHash = (codec: EventCodec, event: StoredEvent): string | null => {
  try {
    const { hash } = codec.readEnvelope(event);
    return typeof hash === 'string' ? hash : null;
  } catch {
    return null;
  }
};

const isHashOf = (codec: EventCodec, event: StoredEvent, previousHash: string): boolean => {
  try {
    return codec.verifyHash(event, previousHash);
  } catch {
    return false;
  }
};

/** Job kind for verifying the history. */
export const VERIFY_HISTORY = 'verify-history';

/** Verification job parameters (management-api.md: `POST /history/verify`). */
export type VerificationParams = {
  /** Whose auditor asked; null for the operator and auditors of all owners. */
  readonly owner_id: string | null;
  readonly aggregate: string | null;
  readonly id: string | null;
  readonly checkpoint: string | null;
};

/** Creates the handler of verification jobs. An interrupted verification starts again, because it changes nothing. */
export const createVerificationHandler = (
  deps: VerificationDependencies,
  endedLogs: EndedLogTable,
  places: Pick<AggregatePlaces, 'find'>,
): JobHandler => ({
  kind: VERIFY_HISTORY,
  run: async ({ params }: Job, context): Promise<Json> => {
    const sent = params as VerificationParams;
    const ended = await endedLogs.list();
    const check = await toCheck(sent, deps, places);
    const { events, broken, checkpoint } = await verifyHistory(deps, check, context);
    const verdict = checkpoint ?? (await judgeEnded(sent.checkpoint, ended, endedLogs));
    const result = { events, broken: broken.map((each) => ({ ...each })), checkpoint: verdict };
    return ended.length === 0 ? result : { ...result, ended: ended.map(showEnded) };
  },
});

/** Checks a checkpoint that the current log did not sign against the ended logs. Returns null if none was sent. */
const judgeEnded = async (
  note: string | null,
  ended: readonly EndedLog[],
  table: EndedLogTable,
): Promise<'ended' | 'inconsistent' | null> => {
  if (note === null) return null;
  for (const log of ended) {
    const checkpoint = openCheckpoint(note, log.vkey);
    if (checkpoint) return (await table.mayContain(log, checkpoint)) ? 'ended' : 'inconsistent';
  }
  return 'inconsistent';
};

const toCheck = async (
  { aggregate: name, id, checkpoint: note }: VerificationParams,
  { tables }: VerificationDependencies,
  places: Pick<AggregatePlaces, 'find'>,
): Promise<HistoryCheck> => {
  const head = note === null ? null : await tables.readHead();
  const checkpoint = note === null || !head ? null : openCheckpoint(note, head.vkey);
  const aggregate = name === null ? undefined : findAggregate(name);
  if (!aggregate) return { covers: () => true, stream: null, checkpoint };
  if (id === null) return { covers: (stream) => stream.startsWith(`${aggregate.category}-`), stream: null, checkpoint };
  const place = await places.find(aggregate, id, null);
  const of = place?.stream ?? `${aggregate.category}-${id}`;
  return { covers: (stream) => stream === of, stream: of, checkpoint };
};
