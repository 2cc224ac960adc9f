import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { Log } from '../../kernel/log.js';
import type { ScheduledChange } from '../../projections/publish-schedule/publish-schedule.tables.js';
import type { LoadedPublication } from '../publish-due-posts/attempt/attempt-state.js';

/** Outcome of a try to take a publication back. `dismissed`: it turned out that nothing had been published. */
type Outcome = 'withdrawn' | 'dismissed' | 'postponed' | 'withdraw_failed';

/** Counts an outcome. @param ms time from the request to the last deletion; null for other outcomes */
export type CountWithdrawal = (platform: string, outcome: Outcome, ms: number | null) => void;

/** Injection token for {@link CountWithdrawal}. */
export const COUNT_WITHDRAWAL = Symbol('CountWithdrawal');

const outcomeOf = ({
  type,
  data,
}: PublicationEvent): { readonly outcome: Outcome; readonly [key: string]: unknown } | null => {
  switch (type) {
    case 'PublicationWithdrawn':
      return { outcome: 'withdrawn' };
    case 'PublicationDismissed':
      return { outcome: 'dismissed' };
    case 'PublicationWithdrawalPostponed':
      return { outcome: 'postponed', code: data.error.code, reason: data.error.message, rule: data.rule };
    case 'PublicationWithdrawalFailed':
      return { outcome: 'withdraw_failed', code: data.error.code, reason: data.error.message };
    default:
      return null; // a message of several
  }
};

/** Logs and counts outcomes as the events record them. */
export const reportWithdrawal = (
  { log, count }: { readonly log: Log; readonly count: CountWithdrawal },
  { publication_id, post_id, channel_id, platform }: ScheduledChange,
  events: readonly PublicationEvent[],
  { state: { withdrawal } }: LoadedPublication,
): void => {
  for (const event of events) {
    const found = outcomeOf(event);
    if (!found || !('at' in event.data)) continue;
    const ms = withdrawal && event.data.at - withdrawal.requestedAt;
    count(platform, found.outcome, found.outcome === 'withdrawn' ? ms : null);
    const line = { publication: publication_id, post: post_id, channel: channel_id, platform, ...found, ms };
    if (found.outcome === 'withdrawn' || found.outcome === 'dismissed') log.info(line, 'publication taken back');
    else log.warn(line, 'publication not taken back');
  }
};
