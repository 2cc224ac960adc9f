import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid } from '../kernel/ids.js';
import { STORE_MESSAGES } from './messages.js';
import type { EventStoreAdapter, Position, StoreIdentity } from './port.js';
import type { Checkpoint, StoreRecord, StoreRecords } from './store-records.js';

/** Result of a check: the store, or a human-readable reason why it must not be used. */
export type StoreVerdict = KnownStore | { readonly problem: string; readonly mayPass: boolean };

/** A store that has passed the check. */
export interface KnownStore {
  readonly id: string;
  /** Position at which its log ended. */
  readonly end: Position;
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

/** Checks that a store still holds all events up to the checkpoints. @returns the problem; null if there is none */
const judgeLength = (
  address: string,
  { id, end }: StoreIdentity,
  checkpoints: readonly Checkpoint[],
  known: KnownStore | null,
): string | null => {
  const store = { address, found: id ?? 'without an identity', end: String(end) };
  const [furthest] = checkpoints.toSorted((a, b) => Number(b.position - a.position));
  if (furthest && furthest.position > end)
    return STORE_MESSAGES.shorterLog({ ...store, name: furthest.name, position: String(furthest.position), remedy });
  return known && known.end > end ? STORE_MESSAGES.lostEvents({ ...store, position: String(known.end) }) : null;
};

const CATCH_UP_MS = 3_000;
const PAUSE_MS = 250;

/**
 * Checks that an event store is the one from which the read models and sagas of the database were built (ADR-124): it
 * has the recorded identity, its log reaches every checkpoint, and it contains the newest event that was applied. If
 * the database has no record, and no checkpoints that contradict the store, the store is recorded.
 */
export class StoreCheck {
  constructor(
    private readonly store: Pick<EventStoreAdapter, 'readIdentity' | 'createIdentity' | 'readStream'>,
    private readonly records: StoreRecords,
    private readonly address: string,
  ) {}

  /**
   * @param known result of this process's last check
   * @param catchUpMs how long to let a node catch up with its cluster's leader, in ms
   * @throws Unavailable @throws the database's errors
   */
  async run(known: KnownStore | null, catchUpMs = CATCH_UP_MS): Promise<StoreVerdict> {
    for (const giveUpAt = performance.now() + catchUpMs; ;) {
      const verdict = await this.runOnce(known);
      if (!('problem' in verdict) || !verdict.mayPass || performance.now() > giveUpAt) return verdict;
      await sleep(PAUSE_MS);
    }
  }

  private async runOnce(known: KnownStore | null): Promise<StoreVerdict> {
    // Read the records first: a checkpoint that moves between the two reads must not appear to be past the log's end.
    const { recorded, checkpoints } = await this.records.read();
    const found = await this.store.readIdentity();
    const problem = judgeIdentity(this.address, found, recorded, known);
    if (problem !== null) return { problem, mayPass: false };
    const contradiction =
      judgeLength(this.address, found, checkpoints, known) ?? (await this.judgeHistory(found, checkpoints));
    if (contradiction !== null) return { problem: contradiction, mayPass: true };
    return recorded ? { id: recorded.id, end: found.end } : this.adopt(found);
  }

  /** Records a store in a database that has no record yet. */
  private async adopt({ id }: StoreIdentity): Promise<StoreVerdict> {
    await this.records.record({ id: id ?? (await this.store.createIdentity(newUuid())), address: this.address });
    return this.runOnce(null); // another process may have recorded another store
  }

  /** Checks that the newest applied event, if any, is in the store. @returns the problem; null if there is none */
  private async judgeHistory({ id }: StoreIdentity, checkpoints: readonly Checkpoint[]): Promise<string | null> {
    const [newest] = checkpoints
      .flatMap(({ name, anchor }) => (anchor ? [{ name, ...anchor }] : []))
      .toSorted((a, b) => Number(BigInt(b.position) - BigInt(a.position)));
    if (!newest) return null;
    const { name, stream, revision, position, id: event } = newest;
    const [stored] = await this.store.readStream(stream, { from: BigInt(revision), limit: 1 });
    if (stored?.id === event && String(stored.position) === position) return null;
    const found = id ?? 'without an identity';
    return STORE_MESSAGES.otherHistory({ address: this.address, found, name, event, position, remedy });
  }
}
