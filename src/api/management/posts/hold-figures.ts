import type { PlanHold } from '../../../projections/posts/post-plans.queries.js';
import type { Hold, ScheduledWithHold } from '../../../projections/publish-schedule/holds.queries.js';

/** The values used in the hold explanation, for clients that write their own; null if not applicable. */
export class WaitingFiguresView {
  /** Number of the latest attempt, from 1: for the publication ahead, or for this publication if none is ahead. */
  readonly attempt: number | null = null;
  /** Maximum number of attempts (D-20). */
  readonly of: number | null = null;
  /** The network's own message about that attempt, or about the channel that needs attention. */
  readonly platform_says: string | null = null;
  /** Sequence number of the publication ahead in the channel. */
  readonly first_sequence: number | null = null;
  /** The rule that holds back the publication ahead; null if none does. */
  readonly blocked_by_rule: Hold['rule'] | null = null;

  /** @param scheduled undefined for a planned publication, and while the schedule does not show the publication yet */
  constructor(rule: Hold['rule'] | PlanHold['rule'], scheduled: ScheduledWithHold | undefined) {
    if (!scheduled) return;
    const { first, firstRule, lastAttempt, attention } = scheduled.context;
    if (rule === 'needs_attention') this.platform_says = attention?.platform_says ?? null;
    if (rule === 'earlier_publication') {
      if (!first) return; // the publication itself is next
      this.first_sequence = first.sequence;
      this.blocked_by_rule = firstRule;
    }
    if (!NAMES_ATTEMPT.has(rule) || !lastAttempt) return;
    this.attempt = lastAttempt.number;
    this.of = lastAttempt.of;
    this.platform_says = lastAttempt.error?.platform_says ?? null;
  }
}

/** Rules whose explanation mentions the latest attempt. */
const NAMES_ATTEMPT: ReadonlySet<Hold['rule'] | PlanHold['rule']> = new Set([
  'earlier_publication',
  'retry',
  'platform_limit',
]);
