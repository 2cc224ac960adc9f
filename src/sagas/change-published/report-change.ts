import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { Log } from '../../kernel/log.js';
import type { ScheduledChange } from '../../projections/publish-schedule/publish-schedule.tables.js';
import type { LoadedPublication } from '../publish-due-posts/attempt/attempt-state.js';

/** What happened to a publication. `dismissed`: it turned out that nothing had been published. */
type Outcome = {
  readonly withdrawal: 'withdrawn' | 'dismissed' | 'postponed' | 'withdraw_failed';
  readonly edit: 'edited' | 'unchanged' | 'postponed' | 'edit_failed';
  readonly pin: 'pinned' | 'postponed' | 'pin_failed';
};

/** Counts an outcome. @param ms time from the request to the last deletion; null for other outcomes */
export type CountChange = <C extends keyof Outcome>(
  change: C,
  platform: string,
  outcome: Outcome[C],
  ms: number | null,
) => void;

/** Injection token for {@link CountChange}. */
export const COUNT_CHANGE = Symbol('CountChange');

type Reported = {
  readonly [C in keyof Outcome]: { readonly change: C; readonly outcome: Outcome[C]; readonly [key: string]: unknown };
}[keyof Outcome];

const outcomeOf = ({ type, data }: PublicationEvent): Reported | null => {
  switch (type) {
    case 'PublicationWithdrawn':
      return { change: 'withdrawal', outcome: 'withdrawn' };
    case 'PublicationDismissed':
      return { change: 'withdrawal', outcome: 'dismissed' };
    case 'PublicationWithdrawalPostponed':
      return { change: 'withdrawal', outcome: 'postponed', ...describe(data.error), rule: data.rule };
    case 'PublicationWithdrawalFailed':
      return { change: 'withdrawal', outcome: 'withdraw_failed', ...describe(data.error) };
    case 'PublicationEdited':
      return { change: 'edit', outcome: data.changed ? 'edited' : 'unchanged', revision: data.content.revision };
    case 'PublicationEditPostponed':
      return { change: 'edit', outcome: 'postponed', ...describe(data.error), rule: data.rule };
    case 'PublicationEditFailed':
      return { change: 'edit', outcome: 'edit_failed', ...describe(data.error) };
    case 'PublicationPinned':
      return { change: 'pin', outcome: 'pinned' };
    case 'PublicationPinFailed':
      return { change: 'pin', outcome: data.retryAt === null ? 'pin_failed' : 'postponed', ...describe(data.error) };
    default:
      return null; // a message of several
  }
};

const describe = ({ code, message: reason }: { readonly code: string; readonly message: string }) => ({ code, reason });

const SUCCESSES: ReadonlySet<string> = new Set<Reported['outcome']>([
  ...(['withdrawn', 'dismissed', 'edited', 'unchanged', 'pinned'] as const),
]);

/** Logs and counts outcomes as the events record them. */
export const reportChange = (
  { log, count }: { readonly log: Log; readonly count: CountChange },
  { publication_id, post_id, channel_id, platform }: ScheduledChange,
  events: readonly PublicationEvent[],
  { state: { withdrawal } }: LoadedPublication,
): void => {
  for (const event of events) {
    const found = outcomeOf(event);
    if (!found || !('at' in event.data)) continue;
    const ms = found.change === 'withdrawal' && withdrawal ? event.data.at - withdrawal.requestedAt : null;
    count(found.change, platform, found.outcome, found.outcome === 'withdrawn' ? ms : null);
    const line = { publication: publication_id, post: post_id, channel: channel_id, platform, ...found, ms };
    if (SUCCESSES.has(found.outcome)) log.info(line, 'published post changed');
    else log.warn(line, 'published post not changed');
  }
};
