import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import type { ScheduledWithHold } from '../../../projections/publish-schedule/holds.queries.js';
import { PublicationView } from './publication.view.js';

const row = (state: string) =>
  ({
    publication_id: 'pub_1',
    state,
    attempts: [],
    warnings: [],
    duplicates: [],
    duplicate_since: null,
  }) as unknown as PublicationRow;
const scheduled = (attempt: number, state = 'queued') =>
  ({
    publication: { state, not_before: 0, attempt, retry_event: attempt > 0 ? 'event' : null },
    hold: null,
    context: {
      first: null,
      firstRule: null,
      attention: null,
      lastAttempt: attempt > 0 ? { number: attempt, of: 5, isUnderWay: false, error: null } : null,
    },
  }) as unknown as ScheduledWithHold;

const NO_FIGURES = { attempt: null, of: null, platform_says: null, first_sequence: null, blocked_by_rule: null };

describe('what a publication waits for', () => {
  it.each([
    ['is next', scheduled(0), { rule: 'earlier_publication', until: null, event_id: null, figures: NO_FIGURES }],
    [
      'is due for another attempt',
      scheduled(1),
      { rule: 'retry', until: null, event_id: 'event', figures: { ...NO_FIGURES, attempt: 1, of: 5 } },
    ],
    ['is being taken up', scheduled(1, 'publishing'), { rule: 'earlier_publication', until: null }],
    [
      'has just been taken up',
      undefined,
      { rule: 'earlier_publication', until: null, event_id: null, figures: NO_FIGURES },
    ],
  ])('is named when it is queued and %s', (_, found, expected) => {
    expect(new PublicationView(row('queued'), found).waiting_for).toMatchObject(expected);
  });

  it.each(['publishing', 'published', 'failed', 'in_doubt', 'filtered', 'dismissed'])(
    'is nothing if it is %s',
    (state) => {
      expect(new PublicationView(row(state), scheduled(0)).waiting_for).toBeNull();
    },
  );
});
