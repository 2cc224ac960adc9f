import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { publication, type PublicationCommand } from './publication.decider.js';
import type { PostponeRule, PublicationEvent } from './publication.events.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const T = Date.UTC(2025, 2, 14, 12);
const ids = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const error = { code: 'timeout', category: 'network', source: 'gateway', message: 'No answer.' };

const started = (attempt: number, at: number): PublicationEvent => ({
  type: 'PublicationStarted',
  data: { ...ids, attempt, worker: 'w1', sending: null, at, projectRevision: null },
});
const postpone = (attempt: number, at: number, rule: PostponeRule, retryAt = at + 1): PublicationCommand => ({
  type: 'PostponePublication',
  ...ids,
  attempt,
  at,
  retryAt,
  rule,
  error,
});
const postponed = (attempt: number, at: number, rule: PostponeRule, retryAt = at + 1): PublicationEvent => ({
  type: 'PublicationPostponed',
  data: { ...ids, attempt, at, retryAt, rule, error },
});
const failed = (attempt: number, at: number): PublicationEvent => ({
  type: 'PublicationFailed',
  data: { ...ids, attempt, at, error },
});
const resent: PublicationEvent = { type: 'PublicationResent', data: { ...ids, at: T } };

/** Events of `count` postponed attempts, one millisecond apart, and of one more that is in progress. */
const afterAttempts = (count: number, rule: PostponeRule = 'retry'): PublicationEvent[] => [
  ...Array.from({ length: count }, (_, i) => [started(i + 1, T + i), postponed(i + 1, T + i, rule, T + i + 1)]).flat(),
  started(count + 1, T + count),
];

describe('a failed attempt (D-20)', () => {
  it('is postponed, with the reason', () =>
    spec(publication)
      .given([started(1, T)])
      .when(postpone(1, T + 10, 'retry', T + 2_000))
      .then([postponed(1, T + 10, 'retry', T + 2_000)]));

  it('is repeated up to the fourth', () =>
    spec(publication)
      .given(afterAttempts(3))
      .when(postpone(4, T + 10, 'retry'))
      .then([postponed(4, T + 10, 'retry')]));

  it('is final at the fifth', () =>
    spec(publication)
      .given(afterAttempts(4))
      .when(postpone(5, T + 10, 'retry'))
      .then([failed(5, T + 10)]));

  it('is repeated within 15 minutes of the first', () => {
    const at = T + 15 * MINUTE - 1;
    spec(publication)
      .given([started(1, T)])
      .when(postpone(1, at, 'retry'))
      .then([postponed(1, at, 'retry')]);
  });

  it('is final after 15 minutes', () => {
    const at = T + 15 * MINUTE;
    spec(publication)
      .given([started(1, T)])
      .when(postpone(1, at, 'retry'))
      .then([failed(1, at)]);
    spec(publication)
      .given([started(1, T), postponed(1, T + 1, 'retry'), started(2, at - 1)])
      .when(postpone(2, at, 'retry'))
      .then([failed(2, at)]);
  });

  it('is never postponed beyond the 15 minutes: the last attempt is made at their end', () =>
    spec(publication)
      .given([started(1, T)])
      .when(postpone(1, T + 14 * MINUTE, 'retry', T + 20 * MINUTE))
      .then([postponed(1, T + 14 * MINUTE, 'retry', T + 15 * MINUTE)]));

  it('starts a new count of attempts and minutes after a resend', () => {
    spec(publication)
      .given([...afterAttempts(4), failed(5, T + 4), resent, started(6, T + HOUR)])
      .when(postpone(6, T + HOUR + 1, 'retry'))
      .then([postponed(6, T + HOUR + 1, 'retry')]);
    const at = T + HOUR + 15 * MINUTE;
    spec(publication)
      .given([...afterAttempts(4), failed(5, T + 4), resent, started(6, T + HOUR)])
      .when(postpone(6, at, 'retry'))
      .then([failed(6, at)]);
  });
});

describe('a send in doubt on a channel with `on_doubt: resend` (D-25)', () => {
  const doubt = (attempt: number, at: number, resendAt: number | null): PublicationCommand => ({
    type: 'MarkInDoubt',
    ...ids,
    attempt,
    at,
    error,
    resendAt,
  });
  const inDoubt = (attempt: number, at: number): PublicationEvent => ({
    type: 'PublicationInDoubt',
    data: { ...ids, attempt, at, step: 'unknown', error },
  });

  it('is postponed as a failed attempt', () =>
    spec(publication)
      .given([started(1, T)])
      .when(doubt(1, T + 10, T + 2_000))
      .then([postponed(1, T + 10, 'retry', T + 2_000)]));

  it('stays in doubt at the fifth attempt or after 15 minutes', () => {
    spec(publication)
      .given(afterAttempts(4))
      .when(doubt(5, T + 10, T + 2_000))
      .then([inDoubt(5, T + 10)]);
    const at = T + 15 * MINUTE;
    spec(publication)
      .given([started(1, T)])
      .when(doubt(1, at, at + 2_000))
      .then([inDoubt(1, at)]);
  });

  it('is left to the owner if the channel does not have that setting', () =>
    spec(publication)
      .given([started(1, T)])
      .when(doubt(1, T + 10, null))
      .then([inDoubt(1, T + 10)]));
});

describe('the waits that a network asks for', () => {
  const waited = (attempt: number, code: string, rule: PostponeRule = 'platform_limit'): PublicationEvent[] => [
    started(attempt, T + attempt),
    {
      type: 'PublicationPostponed',
      data: { ...ids, attempt, at: T + attempt, retryAt: T + attempt, rule, error: { ...error, code } },
    },
  ];
  const waitsAfter = (...events: PublicationEvent[]) => fold(publication, events).waits;
  const three = [...waited(1, 'too_many_requests'), ...waited(2, 'not_ready'), ...waited(3, 'not_ready')];

  it('are counted by error code; other waits are not counted', () => {
    expect(waitsAfter(...three, ...waited(4, 'timeout', 'retry'))).toEqual({ too_many_requests: 1, not_ready: 2 });
  });

  it('are counted from zero after a resend', () => {
    expect(waitsAfter(...three, failed(4, T + 5), resent)).toEqual({});
  });
});

describe.each(['platform_limit', 'needs_attention', 'interrupted'] as const)(
  'a wait under the rule %s (D-20, D-26)',
  (rule) => {
    it('does not count as a failed attempt, however often it occurs', () => {
      spec(publication)
        .given(afterAttempts(50, rule))
        .when(postpone(51, T + 60, rule))
        .then([postponed(51, T + 60, rule)]);
      spec(publication)
        .given(afterAttempts(50, rule))
        .when(postpone(51, T + 60, 'retry'))
        .then([postponed(51, T + 60, 'retry')]);
    });

    it('is allowed where a failed attempt would be final', () =>
      spec(publication)
        .given(afterAttempts(4))
        .when(postpone(5, T + 10, rule))
        .then([postponed(5, T + 10, rule)]));

    it('does not reset the failed attempts', () =>
      spec(publication)
        .given([...afterAttempts(4), postponed(5, T + 5, rule), started(6, T + 6)])
        .when(postpone(6, T + 7, 'retry'))
        .then([failed(6, T + 7)]));

    it('is allowed for 24 hours, up to the last millisecond', () => {
      const at = T + 24 * HOUR - 1;
      spec(publication)
        .given([started(1, T)])
        .when(postpone(1, at, rule))
        .then([postponed(1, at, rule)]);
    });

    it('is final 24 hours after the first attempt', () => {
      const at = T + 24 * HOUR;
      spec(publication)
        .given([started(1, T), postponed(1, T + 1, rule, at - 1), started(2, at - 1)])
        .when(postpone(2, at, rule))
        .then([failed(2, at)]);
    });

    it('holds the channel for at most 24 hours, even if a longer wait is requested', () =>
      spec(publication)
        .given([started(1, T)])
        .when(postpone(1, T + HOUR, rule, T + 48 * HOUR))
        .then([postponed(1, T + HOUR, rule, T + 24 * HOUR)]));

    it('does not count towards the 15 minutes of failed attempts, to the millisecond', () => {
      const waited = [
        ...[started(1, T), postponed(1, T + MINUTE, 'retry')],
        ...[started(2, T + 2 * MINUTE), postponed(2, T + 3 * MINUTE, rule, T + 43 * MINUTE)],
        ...[started(3, T + 43 * MINUTE)],
      ];
      const end = T + 40 * MINUTE + 15 * MINUTE;
      spec(publication)
        .given(waited)
        .when(postpone(3, end - 1, 'retry', end))
        .then([postponed(3, end - 1, 'retry', end)]);
      spec(publication)
        .given(waited)
        .when(postpone(3, end, 'retry'))
        .then([failed(3, end)]);
      spec(publication)
        .given([...waited, postponed(3, T + 44 * MINUTE, 'retry'), started(4, T + 45 * MINUTE)])
        .when(postpone(4, end, 'retry'))
        .then([failed(4, end)]);
    });

    it('is reset by a resend', () => {
      const at = T + 48 * HOUR;
      const over = [started(1, T), postponed(1, T + 1, rule, T + HOUR), started(2, T + HOUR), failed(2, T + HOUR)];
      spec(publication)
        .given([...over, resent, started(3, at)])
        .when(postpone(3, at + 15 * MINUTE, 'retry'))
        .then([failed(3, at + 15 * MINUTE)]);
      spec(publication)
        .given([...over, resent, started(3, at)])
        .when(postpone(3, at + HOUR, rule))
        .then([postponed(3, at + HOUR, rule)]);
    });
  },
);
