import { iso, isoOrNull } from '../../kernel/instant.js';
import type { Hold, ScheduledWithHold } from '../../projections/publish-schedule/holds.queries.js';
import { WAITING_MESSAGES as TEXTS } from './messages.js';

/** The reason for which a publication waits, for the client of its endpoint (D-66): without names and without ids of others. */
export class WaitingView {
  readonly rule: Hold['rule'];
  /** ISO 8601, UTC; null if the end is not known. */
  readonly until: string | null;
  /** A sentence for people. */
  readonly text: string;

  /** @param scheduled undefined: the schedule and the view of the post differ for a moment */
  constructor(scheduled: ScheduledWithHold | undefined) {
    const hold = scheduled?.hold ?? null;
    const isRetryDue = hold === null && (scheduled?.publication.attempt ?? 0) > 0;
    this.rule = hold?.rule ?? (isRetryDue ? 'retry' : 'earlier_publication');
    this.until = isoOrNull(hold?.until ?? null);
    this.text = hold === null ? (isRetryDue ? TEXTS.retryDue : TEXTS.next) : explain(hold);
  }
}

const explain = ({ rule, until }: Hold): string => {
  const when = until === null ? TEXTS.unknownEnd : TEXTS.until({ until: iso(until) });
  return TEXTS.rules[rule]({ when });
};
