import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import type { ScheduledWithHold } from '../../../projections/publish-schedule/holds.queries.js';
import { NO_NUMBERS } from '../../../statistics/numbers.js';
import { StatisticsView } from '../../../statistics/statistics.queries.js';
import { CanView } from '../../public/change.views.js';
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

const KNOWN = {
  can: new CanView({ withdraw: true, until: null, text: null }, { edit: [], text: null }),
  statistics: new StatisticsView('pending', null, NO_NUMBERS, null),
};
const NO_FIGURES = { attempt: null, of: null, platform_says: null, first_sequence: null, blocked_by_rule: null };

/** No rule holds the publication back. */
const NEXT = {
  rule: null,
  until: null,
  event_id: null,
  blocked_by: null,
  text: expect.stringContaining('This publication is next on its channel'),
  figures: NO_FIGURES,
};

describe('what a publication waits for', () => {
  it.each([
    ['is next', scheduled(0), NEXT],
    [
      'is due for another attempt',
      scheduled(1),
      { rule: 'retry', until: null, event_id: 'event', figures: { ...NO_FIGURES, attempt: 1, of: 5 } },
    ],
    ['is being taken up', scheduled(1, 'publishing'), NEXT],
    ['has just been taken up', undefined, NEXT],
  ])('is named when it is queued and %s', (_, found, expected) => {
    expect(new PublicationView(row('queued'), found, KNOWN).waiting_for).toMatchObject(expected);
  });

  it('is the publication ahead, whose attempts are not in its own figures', () => {
    const found = scheduled(0);
    const lastAttempt = { number: 2, of: 5, isUnderWay: false, error: { message: 'No.', platform_says: 'no' } };
    const behind = {
      ...found,
      hold: { rule: 'earlier_publication', until: 1_000, eventId: 'event' },
      context: {
        ...found.context,
        first: { publication_id: 'pub_0', sequence: 7, state: 'queued' },
        firstRule: 'retry',
        lastAttempt,
      },
    } as unknown as ScheduledWithHold;
    expect(new PublicationView(row('queued'), behind, KNOWN).waiting_for).toEqual({
      rule: 'earlier_publication',
      until: '1970-01-01T00:00:01.000Z',
      event_id: 'event',
      text: expect.stringContaining('Its attempt 2 of 5 did not succeed: No. The network says: "no".'),
      blocked_by: 'pub_0',
      figures: { ...NO_FIGURES, first_sequence: 7, blocked_by_rule: 'retry' },
    });
  });

  it.each(['publishing', 'published', 'failed', 'in_doubt', 'filtered', 'dismissed'])(
    'is nothing if it is %s',
    (state) => {
      expect(new PublicationView(row(state), scheduled(0), KNOWN).waiting_for).toBeNull();
    },
  );
});
