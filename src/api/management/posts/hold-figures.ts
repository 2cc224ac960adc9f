import type { PlanHold } from '../../../projections/posts/post-plans.queries.js';
import type { Hold, ScheduledWithHold } from '../../../projections/publish-schedule/holds.queries.js';

/** The figures in the sentence about a wait, for clients that write their own; null where they do not apply. */
export class WaitingFiguresView {
  /** Number of the latest attempt, from 1, at the publication ahead, or at this one if none is ahead. */
  readonly attempt: number | null = null;
  /** Maximum number of attempts (D-20). */
  readonly of: number | null = null;
  /** The network's own words about that attempt, or about the channel that needs attention. */
  readonly platform_says: string | null = null;
  /** Number of the publication ahead, in its channel. */
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

/** Rules whose sentence mentions the latest attempt. */
const NAMES_ATTEMPT: ReadonlySet<Hold['rule'] | PlanHold['rule']> = new Set([
  'earlier_publication',
  'retry',
  'platform_limit',
]);
