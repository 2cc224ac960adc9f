import type { PublicationEvent } from '../../../domain/publication/publication.events.js';
import type { Log } from '../../../kernel/log.js';
import type { LoadedPublication } from './attempt-state.js';
import type { ClaimedPublication, PublicationAttempt } from './publication-attempt.js';

/** Counts an outcome. `code` is empty on success. */
export type CountOutcome = (platform: string, outcome: Outcome, code: string) => void;

/** Injection token for {@link CountOutcome}. */
export const COUNT_OUTCOME = Symbol('CountOutcome');

/** Outcome of an attempt: the publication's new status, or that it was postponed, held, cancelled or a duplicate. */
export type Outcome =
  'published' | 'published_twice' | 'postponed' | 'failed' | 'in_doubt' | 'filtered' | 'held' | 'cancelled';

interface ReportedOutcome {
  readonly outcome: Outcome;
  readonly code: string;
  /** Human-readable reason. */
  readonly reason?: string;
  /** The rule that postponed the publication. */
  readonly rule?: string;
}

/** The reported parts of an attempt. The payload is missing if the post could not be read. */
type ReportedAttempt = Pick<ClaimedPublication, 'row' | 'origin'> & Partial<Pick<PublicationAttempt, 'payload'>>;

const outcomeOf = ({ type, data }: PublicationEvent): ReportedOutcome | null => {
  switch (type) {
    case 'PublicationSucceeded':
      return { outcome: 'published', code: '' };
    case 'PublicationDuplicateFound':
      return { outcome: 'published_twice', code: '' };
    case 'PublicationPostponed':
      return { outcome: 'postponed', code: data.error.code, reason: data.error.message, rule: data.rule };
    case 'PublicationFailed':
      return { outcome: 'failed', code: data.error.code, reason: data.error.message };
    case 'PublicationInDoubt':
      return { outcome: 'in_doubt', code: data.error.code, reason: data.error.message };
    case 'PublicationFiltered':
      return { outcome: 'filtered', code: data.reason.code, reason: data.reason.message };
    case 'PublicationHeld':
      return { outcome: 'held', code: data.rule };
    case 'PublicationDismissed':
      return { outcome: 'cancelled', code: 'deleted' };
    default:
      return null; // a step in an attempt that is still in progress
  }
};

const EXPECTED: ReadonlySet<Outcome> = new Set(['published', 'filtered', 'held', 'cancelled']);

/** Returns the fields that identify a publication, its post and its request in log lines. */
export const storyOf = ({ row, origin, payload }: ReportedAttempt): object => ({
  publication: row.publication_id,
  post: row.post_id,
  channel: row.channel_id,
  project: row.project_id,
  platform: row.platform,
  request_id: origin.requestId,
  trace_id: payload?.trace_id ?? null,
});

/** Logs and counts outcomes as the events record them: the domain may have made a retry a permanent failure (D-20). */
export const reportOutcome = (
  deps: { readonly log: Log; readonly countOutcome: CountOutcome },
  attempt: ReportedAttempt,
  events: readonly PublicationEvent[],
  { state }: LoadedPublication,
): void => {
  for (const event of events) {
    const found = outcomeOf(event);
    if (!found || !('at' in event.data)) continue;
    deps.countOutcome(attempt.row.platform, found.outcome, found.code);
    const ms = state.startedAt === 0 ? null : event.data.at - state.startedAt;
    const line = { ...storyOf(attempt), attempt: state.attempt, ...found, ms };
    if (event.type === 'PublicationDuplicateFound') {
      const { messageIds } = event.data;
      deps.log.warn(
        { ...line, message_ids: messageIds },
        'readers see a post twice: a call that was given up succeeded',
      );
    } else if (EXPECTED.has(found.outcome)) deps.log.info(line, 'publication attempt finished');
    else deps.log.warn(line, 'publication attempt finished without success');
  }
};
