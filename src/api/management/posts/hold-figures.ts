import type { PlanHold } from '../../../projections/posts/post-plans.queries.js';
import type { DueWait, Hold, ScheduledWithHold } from '../../../projections/publish-schedule/holds.queries.js';

type WaitingRule = (Hold | DueWait | PlanHold)['rule'];

/** The values used in the hold explanation, for clients that write their own; null if not applicable. */
export class WaitingFiguresView {
  /** Number of this publication's latest attempt, from 1. */
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
  constructor(rule: WaitingRule, scheduled: ScheduledWithHold | undefined) {
    if (!scheduled) return;
    const { first, firstRule, lastAttempt, attention } = scheduled.context;
    if (rule === 'needs_attention') this.platform_says = attention?.platform_says ?? null;
    if (rule === 'earlier_publication') {
      this.first_sequence = first!.sequence;
      this.blocked_by_rule = firstRule;
    }
    if (!IS_OF_ATTEMPT.has(rule) || !lastAttempt) return;
    this.attempt = lastAttempt.number;
    this.of = lastAttempt.of;
    this.platform_says = lastAttempt.error?.platform_says ?? null;
  }
}

/** Rules that an attempt at the publication itself has led to. */
const IS_OF_ATTEMPT: ReadonlySet<WaitingRule> = new Set(['retry', 'platform_limit']);
