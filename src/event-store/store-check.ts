import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid } from '../kernel/ids.js';
import { STORE_MESSAGES } from './messages.js';
import { type EventStore, type EventStoreAdapter, type Position, StorageFailed, type StoreIdentity } from './port.js';
import type { Anchor, Checkpoint, SeenEvent, StoreRecord, StoreRecords } from './store-records.js';

/** Events that the store no longer has, although it is the right one. */
export interface FoundLoss {
  readonly seenBy: 'read_model' | 'process';
  /** Position of an event that was seen and is missing. */
  readonly position: Position;
}

/**
 * Result of a check: the store, or a human-readable reason why it must not be used. With a `loss`, a recovery makes it
 * usable (D-80).
 */
export type StoreVerdict = KnownStore | { readonly problem: string; readonly loss: FoundLoss | null };

/** A store that has passed the check. */
export interface KnownStore {
  readonly id: string;
  /** Position at which its log ended. */
  readonly end: Position;
  /** The newest event that this process has seen; null or absent if there is none. */
  readonly seen?: SeenEvent | null;
}

const { remedy } = STORE_MESSAGES;

/** Compares a store's identity with the recorded identity. @returns the problem; null if there is none */
const judgeIdentity = (
  address: string,
  found: StoreIdentity,
  recorded: StoreRecord | null,
  known: KnownStore | null,
): string | null => {
  if (known && recorded?.id !== known.id)
    return STORE_MESSAGES.otherDatabase({ pinned: known.id, recorded: recorded?.id ?? 'none' });
  if (!recorded || found.id === recorded.id) return null;
  const expected = { address, recorded: recorded.id, recordedAddress: recorded.address, remedy };
  return found.id === null
    ? STORE_MESSAGES.unusedStore(expected)
    : STORE_MESSAGES.otherStore({ ...expected, found: found.id });
};

/** How long to let a node of a cluster catch up with its leader before events count as lost, in ms. */
const CATCH_UP_MS = 10_000;
const PAUSE_MS = 250;

/**
 * Checks that an event store is the one from which the read models and sagas of the database were built (ADR-124): it
 * has the recorded identity, its log reaches every checkpoint, and it contains the newest event that was applied and the
 * newest that this process or machine has seen. If the database has no record, and no checkpoints that contradict the
 * store, the store is recorded.
 */
export class StoreCheck {
  constructor(
    private readonly store: Pick<EventStoreAdapter, 'readIdentity' | 'createIdentity' | 'readStream' | 'notes'>,
    private readonly records: StoreRecords,
    private readonly address: string,
    /** Returns the newest event that was seen in a store; null if none is known. */
    private readonly readSeen: (storeId: string) => Promise<SeenEvent | null> = async () => null,
  ) {}

  /**
   * @param known result of this process's last check
   * @param catchUpMs how long to let a node catch up with its cluster's leader, in ms; a database has no such nodes
   * @throws Unavailable @throws the database's errors
   */
  async run(known: KnownStore | null, catchUpMs = this.store.notes === null ? 0 : CATCH_UP_MS): Promise<StoreVerdict> {
    for (const giveUpAt = performance.now() + catchUpMs; ;) {
      const verdict = await this.runOnce(known);
      if (!('problem' in verdict) || verdict.loss === null || performance.now() >= giveUpAt) return verdict;
      await sleep(PAUSE_MS);
    }
  }

  private async runOnce(known: KnownStore | null): Promise<StoreVerdict> {
    // Read the records first: a checkpoint that moves between the two reads must not appear to be past the log's end.
    const { recorded, checkpoints } = await this.records.read();
    const found = await this.store.readIdentity();
    const problem = judgeIdentity(this.address, found, recorded, known);
    if (problem !== null) return { problem, loss: null };
    const contradiction = (await this.judgeCheckpoints(found, checkpoints)) ?? (await this.judgeSeen(found, known));
    if (contradiction) return contradiction;
    return recorded ? { id: recorded.id, end: found.end } : this.adopt(found);
  }

  /** Records a store in a database that has no record yet. */
  private async adopt({ id }: StoreIdentity): Promise<StoreVerdict> {
    await this.records.record({ id: id ?? (await this.store.createIdentity(newUuid())), address: this.address });
    return this.runOnce(null); // another process may have recorded another store
  }

  /** Checks that the store holds all events up to the checkpoints, and the newest applied event, if any. */
  private async judgeCheckpoints(
    { id, end }: StoreIdentity,
    checkpoints: readonly Checkpoint[],
  ): Promise<StoreVerdict | null> {
    const store = { address: this.address, found: id ?? 'without an identity', end: String(end) };
    const [furthest] = checkpoints.toSorted((a, b) => Number(b.position - a.position));
    const loss = { seenBy: 'read_model', position: furthest?.position ?? 0n } as const;
    if (furthest && furthest.position > end) {
      const { name, position } = furthest;
      return { problem: STORE_MESSAGES.shorterLog({ ...store, name, position: String(position) }), loss };
    }
    const [newest] = checkpoints
      .flatMap(({ name, anchor }) => (anchor ? [{ name, ...anchor }] : []))
      .toSorted((a, b) => Number(BigInt(b.position) - BigInt(a.position)));
    if (!newest || (await this.contains(newest))) return null;
    const { name, position, id: event } = newest;
    return { problem: STORE_MESSAGES.otherHistory({ ...store, name, event, position }), loss };
  }

  /** Checks that the store holds the newest event that this process, or another on this machine, has seen. */
  private async judgeSeen({ id, end }: StoreIdentity, known: KnownStore | null): Promise<StoreVerdict | null> {
    const seen = known?.seen ?? (id === null ? null : await this.readSeen(id));
    if (!seen || (await this.contains(seen))) return null;
    const position = BigInt(seen.position);
    const store = { address: this.address, found: id ?? 'without an identity', end: String(end) };
    const problem = STORE_MESSAGES.lostEvents({ ...store, event: seen.id, position: seen.position });
    return { problem, loss: { seenBy: 'process', position } };
  }

  private async contains({ stream, revision, position, id }: Anchor): Promise<boolean> {
    const [stored] = await this.store.readStream(stream, { from: BigInt(revision), limit: 1 });
    return stored?.id === id && String(stored.position) === position;
  }
}

/** Checks that a store responds and accepts appends. @throws Unavailable if it does not; the message gives the cause */
export const checkEventStore = async (store: Pick<EventStore, 'readHead' | 'appendFailure'>): Promise<void> => {
  await store.readHead();
  const failure = store.appendFailure;
  if (!failure) return;
  const since = new Date(failure.since).toISOString();
  throw new StorageFailed(failure.code, `has refused appends since ${since}: ${failure.message}`);
};
