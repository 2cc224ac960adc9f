import type { Instant } from '../../kernel/clock.js';
import type { Catalogue, DomainEvent } from '../../kernel/events.js';

/** What showed that events were lost (D-80). */
export type NoticedBy = 'start' | 'running' | 'setting';

/**
 * Events were lost, because a backup was restored or a failover lost commits (D-80). What was waiting before this event
 * may have been published, changed or cancelled since, so the gateway holds it.
 */
export type RecoveryStarted = DomainEvent<
  'RecoveryStarted',
  {
    readonly recoveryId: string;
    readonly at: Instant;
    readonly noticedBy: NoticedBy;
    /** RESTORED_AT, otherwise the time at which the loss was noticed. */
    readonly restoredAt: Instant;
    /** Null if unknown. */
    readonly lostEvents: number | null;
    /** Time of the last event that is left; null if there is none. */
    readonly from: Instant | null;
    /** Time of the newest event known to be lost; without one, `restoredAt`. */
    readonly until: Instant;
    /** Position at which the remaining log ended. */
    readonly end: string;
    /** The value of RESTORED_AT that this recovery handles; null if there is none. */
    readonly setting: string | null;
    /** Ids of the recoveries whose later events may be lost; `none` for events before any recovery. */
    readonly covers: readonly string[];
  }
>;

/** Everything that was waiting is in doubt or held: new posts are published again. */
export type RecoveryMarked = DomainEvent<
  'RecoveryMarked',
  {
    readonly recoveryId: string;
    readonly at: Instant;
    /** Number of publications that became in doubt. */
    readonly inDoubt: number;
  }
>;

/** The publications in doubt were looked up on their networks: what was not found waits for a person. */
export type RecoveryLookedUp = DomainEvent<
  'RecoveryLookedUp',
  {
    readonly recoveryId: string;
    readonly at: Instant;
    /** Number of publications that were found. */
    readonly found: number;
  }
>;

/** Someone decided what happens to the posts that a recovery holds. */
export type RecoveryConfirmed = DomainEvent<
  'RecoveryConfirmed',
  {
    /** Null for all owners. */
    readonly ownerId: string | null;
    readonly at: Instant;
    readonly planned: 'keep' | 'cancel' | null;
    readonly inDoubt: 'resend' | 'dismiss' | null;
  }
>;

/** Events of the stream `recovery-log`. */
export type RecoveryEvent = RecoveryStarted | RecoveryMarked | RecoveryLookedUp;

export const recoveryEvents = {
  RecoveryStarted: { version: 1 },
  RecoveryMarked: { version: 1 },
  RecoveryLookedUp: { version: 1 },
  RecoveryConfirmed: { version: 1 },
} satisfies Catalogue & Record<(RecoveryEvent | RecoveryConfirmed)['type'], unknown>;

/** Id of the only recovery aggregate. */
export const RECOVERY_ID = 'log';
