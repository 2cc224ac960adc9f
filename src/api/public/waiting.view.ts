import { iso, isoOrNull } from '../../kernel/instant.js';
import { type Hold, nearestHold, type ScheduledWithHold } from '../../projections/publish-schedule/holds.queries.js';
import { WAITING_MESSAGES as TEXTS } from './messages.js';

/** The reason why a publication waits, for the client of its endpoint (D-66). It names no channel, project or id. */
export class WaitingView {
  readonly rule: Hold['rule'];
  /** ISO 8601, UTC; null if the end is not known. */
  readonly until: string | null;
  /** A sentence for people. */
  readonly text: string;

  /** @param scheduled undefined: the schedule and the view of the post differ for a moment */
  constructor(scheduled: ScheduledWithHold | undefined) {
    const { rule, until } = scheduled?.hold ?? nearestHold(scheduled?.publication);
    this.rule = rule;
    this.until = isoOrNull(until);
    if (scheduled?.hold)
      this.text = TEXTS.rules[rule]({ when: until === null ? '' : TEXTS.until({ until: iso(until) }) });
    else this.text = rule === 'retry' ? TEXTS.retryDue : TEXTS.next;
  }
}
