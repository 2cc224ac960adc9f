import { iso, isoOrNull } from '../../kernel/instant.js';
import type { PlanHold } from '../../projections/posts/post-plans.queries.js';
import { findDueWait, type Hold, type ScheduledWithHold } from '../../projections/publish-schedule/holds.queries.js';
import { WAITING_MESSAGES as TEXTS } from './messages.js';

/**
 * The reason why a publication waits, for the client of its endpoint (D-66). It never mentions a channel, a project or
 * an id.
 */
export class WaitingView {
  /** Null if no rule holds it back: it is next on its channel. */
  readonly rule: Hold['rule'] | PlanHold['rule'] | null;
  /** ISO 8601, UTC; null if the end is not known. */
  readonly until: string | null;
  /** Human-readable sentence. */
  readonly text: string;

  /**
   * @param scheduled undefined while the schedule and the posts read model briefly disagree
   * @param plan what a planned post waits for; null if its post is released
   */
  constructor(scheduled: ScheduledWithHold | undefined, plan: PlanHold | null = null) {
    if (plan) {
      this.rule = plan.rule;
      this.until = isoOrNull(plan.until);
      this.text = describePlan(plan);
      return;
    }
    const hold = scheduled?.hold;
    const { rule, until } = hold ?? findDueWait(scheduled?.publication);
    this.rule = rule;
    this.until = isoOrNull(until);
    if (hold) this.text = TEXTS.rules[hold.rule]({ when: until === null ? '' : TEXTS.until({ until: iso(until) }) });
    else this.text = rule === 'retry' ? TEXTS.retryDue : TEXTS.next;
  }
}

const describePlan = ({ rule, publishAt }: PlanHold): string => {
  if (rule === 'restored') return TEXTS.restored;
  if (rule === 'scheduled') return TEXTS.scheduled({ at: String(isoOrNull(publishAt)) });
  return publishAt === null ? TEXTS.approval : TEXTS.approvalAndTime({ at: iso(publishAt) });
};
