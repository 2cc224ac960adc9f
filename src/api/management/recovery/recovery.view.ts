import type { NoticedBy } from '../../../domain/recovery/recovery.events.js';
import { isoOrNull } from '../../../kernel/instant.js';
import type { HeldCounts } from '../../../projections/publish-schedule/held-counts.queries.js';

/** The latest recovery from lost events, and what it still holds (D-80). */
export class RecoveryView {
  /** `held` while posts wait for a decision. */
  readonly state: 'none' | 'held';
  /** ISO 8601, UTC: RESTORED_AT, or the time at which the loss was noticed; null if nothing was ever lost. */
  readonly restored_at: string | null;
  /** Null if nothing was ever lost. */
  readonly noticed_by: NoticedBy | null;
  /** Null if unknown. */
  readonly lost_events: number | null;
  /** Time of the last event that is left (ISO 8601, UTC); null if there is none. */
  readonly from: string | null;
  /** Time up to which events may be lost (ISO 8601, UTC); null if nothing was ever lost. */
  readonly until: string | null;
  /** Number of planned posts that are held. */
  readonly planned: number;
  /** Number of publications in doubt. */
  readonly in_doubt: number;

  constructor({ facts, planned, inDoubt, isOpen }: HeldCounts) {
    this.state = isOpen || planned > 0 || inDoubt > 0 ? 'held' : 'none';
    this.restored_at = isoOrNull(facts?.restoredAt ?? null);
    this.noticed_by = facts?.noticedBy ?? null;
    this.lost_events = facts?.lostEvents ?? null;
    this.from = isoOrNull(facts?.from ?? null);
    this.until = isoOrNull(facts?.until ?? null);
    this.planned = planned;
    this.in_doubt = inDoubt;
  }
}

/** What POST /recovery/confirm settled. */
export class SettledView {
  /** Number of planned posts. */
  readonly planned: number;
  /** Number of publications. */
  readonly in_doubt: number;

  constructor(planned: number, inDoubt: number) {
    this.planned = planned;
    this.in_doubt = inDoubt;
  }
}
