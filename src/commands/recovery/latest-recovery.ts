import type { Pool } from 'pg';
import { openRecovery, recovery, type RecoveryState } from '../../domain/recovery/recovery.decider.js';
import { RECOVERY_ID, type RecoveryEvent, type RecoveryStarted } from '../../domain/recovery/recovery.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import { fold, streamOf } from '../../kernel/decider.js';
import type { RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import { padPosition } from '../../kernel/position-text.js';

/** Key of the advisory lock under which recoveries begin and the row in `ops_recovery` is set. */
export const RECOVERY_LOCK = 0x7265636f;

/** The recoveries in the log. */
export interface Recoveries {
  readonly state: RecoveryState;
  /** The event of the latest recovery; null if there was none. */
  readonly latest: RecordedEvent<RecoveryStarted> | null;
  /** True if not everything that waited is marked. */
  readonly isOpen: boolean;
}

/** Reads the recoveries in the log. @throws Unavailable */
export const readRecoveries = async ({
  store,
  codec,
}: Pick<AggregateStore, 'store' | 'codec'>): Promise<Recoveries> => {
  const stored = await store.readStream(streamOf(recovery, RECOVERY_ID));
  const events = stored.map((event) => codec.decode<RecoveryEvent>(event) as RecordedEventOf<RecoveryEvent>);
  const state = fold(recovery, events as readonly RecoveryEvent[]);
  const latest = events.findLast((event) => event.type === 'RecoveryStarted') ?? null;
  return { state, latest, isOpen: openRecovery(state) !== null };
};

/**
 * Makes the row that all processes look at follow the log. Call it under {@link RECOVERY_LOCK}, with recoveries that
 * were read under the lock.
 */
export const setRecoveryRow = async (
  db: Pick<Pool, 'query'>,
  { latest, isOpen }: Pick<Recoveries, 'latest' | 'isOpen'>,
): Promise<void> => {
  const facts = latest?.data ?? null;
  const values = [facts?.recoveryId ?? null, latest ? padPosition(latest.position) : '', facts, isOpen];
  await db.query('update ops_recovery set recovery_id = $1, position = $2, facts = $3, is_open = $4', values);
};
