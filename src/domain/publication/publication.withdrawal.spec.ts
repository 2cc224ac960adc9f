import fc from 'fast-check';
import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { isRejection } from '../../kernel/result.js';
import { publication, type PublicationCommand, type PublicationState } from './publication.decider.js';
import type { PublicationEvent } from './publication.events.js';
import { listRemaining, UNKNOWN_STEP } from './withdrawal.js';

const T = Date.UTC(2025, 2, 14, 12);
const ids = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const error = { code: 'timeout', category: 'network', source: 'gateway', message: 'No answer.' };
const request = { ownerId: 'own_1', platform: 'vk', by: 'operator', reason: null } as const;

const started: PublicationEvent = {
  type: 'PublicationStarted',
  data: { ...ids, attempt: 1, worker: 'w1', sending: 'a', at: T, projectRevision: null },
};
const completed = (step: string, sending: string | null = null): PublicationEvent => ({
  type: 'PublicationStepCompleted',
  data: { ...ids, attempt: 1, step, result: {}, messageIds: [step], urls: [], sending },
});
const succeeded: PublicationEvent = {
  type: 'PublicationSucceeded',
  data: { ...ids, attempt: 1, at: T + 1, messageIds: ['a', 'b'], urls: [], warnings: [] },
};
const failed: PublicationEvent = { type: 'PublicationFailed', data: { ...ids, attempt: 1, at: T + 1, error } };
const inDoubt: PublicationEvent = {
  type: 'PublicationInDoubt',
  data: { ...ids, attempt: 1, at: T + 1, step: 'b', error },
};
const dismissed: PublicationEvent = { type: 'PublicationDismissed', data: { ...ids, at: T + 2 } };
const requested = (isPublishing = false, requestedAt = T + 2): PublicationEvent => ({
  type: 'PublicationWithdrawalRequested',
  data: { ...ids, ...request, at: T + 2, requestedAt, isPublishing },
});
const deleted = (messageId: string): PublicationEvent => ({
  type: 'PublicationMessageDeleted',
  data: { ...ids, at: T + 3, messageId, wasThere: true },
});
const withdrawn: PublicationEvent = { type: 'PublicationWithdrawn', data: { ...ids, at: T + 3 } };
const refused: PublicationEvent = { type: 'PublicationWithdrawalFailed', data: { ...ids, at: T + 3, error } };

const withdraw = (requestedAt = T + 2): PublicationCommand => ({
  type: 'WithdrawPublication',
  ...ids,
  ...request,
  at: T + 2,
  requestedAt,
});
const markDeleted = (messageId: string): PublicationCommand => ({
  type: 'MarkMessageDeleted',
  ...ids,
  at: T + 3,
  messageId,
  wasThere: true,
});
const ofAttempt = { ...ids, attempt: 1, at: T + 1 };

describe('a publication that is taken back (D-69)', () => {
  it('is dismissed if nothing was published', () => {
    spec(publication)
      .given([])
      .when(withdraw())
      .then([requested(true), dismissed]);
  });

  it.each([
    ['published', [started, succeeded]],
    ['failed after a part was published', [started, completed('a', 'b'), failed]],
    ['in doubt', [started, inDoubt]],
    ['refused before', [started, succeeded, requested(false, T), refused]],
  ])('is deleted if it is %s', (_, events) => {
    spec(publication).given(events).when(withdraw()).then([requested()]);
    expect(fold(publication, [...events, requested()]).status).toBe('withdrawing');
  });

  it.each([
    ['failed without a message', [started, failed]],
    ['dismissed without a message', [dismissed]],
    ['being deleted', [started, succeeded, requested(false, T)]],
    ['gone', [started, succeeded, requested(false, T), deleted('b'), deleted('a'), withdrawn]],
  ])('stays as it is if it is %s', (_, events) => {
    spec(publication).given(events).when(withdraw()).then([]);
  });

  it('is tried at once if it is asked again while it waits for the next try', () => {
    const data = { ...ids, at: T + 3, retryAt: T + 50, rule: 'platform_limit', error } as const;
    const waiting: PublicationEvent[] = [
      started,
      succeeded,
      requested(),
      { type: 'PublicationWithdrawalPostponed', data },
    ];
    const again = (at: number): PublicationCommand => ({ ...withdraw(at), at }) as PublicationCommand;
    const sooner = requested(false, T + 9);
    spec(publication)
      .given(waiting)
      .when(again(T + 9))
      .then([{ ...sooner, data: { ...sooner.data, at: T + 9 } } as PublicationEvent]);
    spec(publication)
      .given(waiting)
      .when(again(T + 50))
      .then([]);
  });

  it('handles each request once', () => {
    const left = [started, succeeded, requested(), refused];
    spec(publication).given(left).when(withdraw()).then([]);
    spec(publication)
      .given(left)
      .when(withdraw(T + 9))
      .then([requested(false, T + 9)]);
  });

  it('waits for the attempt under way, and sends no further part', () => {
    const under = [started, requested(true)];
    expect(fold(publication, under).status).toBe('publishing');
    const step = { ...ofAttempt, step: 'a', result: {}, messageIds: ['a'], urls: [], sending: 'b' };
    spec(publication)
      .given(under)
      .when({ type: 'CompleteStep', ...step })
      .then([completed('a')]);
    spec(publication)
      .given(under)
      .when({ type: 'StartStep', ...ofAttempt, sending: 'b' })
      .thenRejected('stale_attempt');
    const retry = { type: 'PostponePublication', ...ofAttempt, retryAt: T + 9, rule: 'retry', error } as const;
    spec(publication)
      .given(under)
      .when(retry)
      .then([failed, { ...dismissed, data: { ...ids, at: T + 1 } }]);
    spec(publication)
      .given([...under, completed('a')])
      .when(retry)
      .then([failed]);
    expect(fold(publication, [...under, completed('a'), failed]).status).toBe('withdrawing');
    spec(publication)
      .given(under)
      .when({ type: 'MarkInDoubt', ...ofAttempt, error, resendAt: T + 9 })
      .then([{ type: 'PublicationInDoubt', data: { ...ofAttempt, step: 'a', error } }]);
  });

  it('ends with the last message', () => {
    const events = [started, succeeded, requested()];
    spec(publication)
      .given(events)
      .when(markDeleted('b'))
      .then([deleted('b')]);
    spec(publication)
      .given([...events, deleted('b')])
      .when(markDeleted('b'))
      .then([]);
    spec(publication)
      .given([...events, deleted('b')])
      .when(markDeleted('a'))
      .then([deleted('a'), withdrawn]);
  });

  it('stays open while it is unknown whether readers see a part', () => {
    const events = [started, completed('a', 'b'), inDoubt, requested()];
    spec(publication)
      .given(events)
      .when(markDeleted('a'))
      .then([deleted('a')]);
    spec(publication)
      .given([...events, deleted('a')])
      .when({ type: 'MarkWithdrawn', ...ids, at: T + 3 })
      .then([withdrawn]);
  });

  it('deletes what a look-up finds, unless it is another step', () => {
    const found = {
      type: 'MarkFound',
      ...ids,
      at: T + 3,
      result: {},
      messageIds: ['b'],
      urls: [],
      warnings: [],
    } as const;
    const events = [started, completed('a', 'b'), inDoubt, requested()];
    const whole: PublicationEvent = { ...succeeded, data: { ...succeeded.data, at: T + 3 } };
    spec(publication)
      .given(events)
      .when({ ...found, step: 'b', isWhole: true })
      .then([whole]);
    spec(publication)
      .given(events)
      .when({ ...found, step: 'b', isWhole: false })
      .then([completed('b')]);
    for (const known of [whole, completed('b')]) {
      const state = fold(publication, [...events, known]);
      expect([state.status, state.doubtfulStep, listRemaining(state)]).toEqual(['withdrawing', null, ['b', 'a']]);
    }
    spec(publication)
      .given(events)
      .when({ ...found, step: 'c', isWhole: true })
      .thenRejected('over');
  });

  it('is in doubt as a whole if events were lost', () => {
    const lost: PublicationEvent = { ...inDoubt, data: { ...inDoubt.data, error: { ...error, code: 'restored' } } };
    expect(fold(publication, [started, lost, requested()]).doubtfulStep).toBe(UNKNOWN_STEP);
  });

  it('deletes messages that appear afterwards', () => {
    const late = { type: 'MarkPublished', ...ofAttempt, messageIds: ['late'], urls: [], warnings: [] } as const;
    const over = [started, inDoubt, requested(), { ...dismissed, data: { ...ids, at: T + 3 } }];
    const state = fold(publication, over);
    const events = publication.decide(late, state);
    if (isRejection(events)) throw new Error(events.message);
    expect(events.map(({ type }) => type)).toEqual(['PublicationSucceeded', 'PublicationWithdrawalRequested']);
    const after = fold(publication, [...over, ...events]);
    expect([after.status, listRemaining(after)]).toEqual(['withdrawing', ['late']]);
  });

  it('can be left once it was refused, as what it was', () => {
    const dismiss: PublicationCommand = { type: 'DismissPublication', ...ids, at: T + 4 };
    const dropped = (status: 'published' | 'dismissed'): PublicationEvent => ({
      type: 'PublicationWithdrawalDropped',
      data: { ...ids, at: T + 4, status },
    });
    spec(publication)
      .given([started, succeeded, requested(), refused])
      .when(dismiss)
      .then([dropped('published')]);
    spec(publication)
      .given([started, completed('a', 'b'), failed, requested(), refused])
      .when(dismiss)
      .then([dropped('dismissed')]);
  });

  it.each(['ResendPublication', 'CancelPublication'] as const)('allows no %s', (type) => {
    for (const events of [[requested()], [requested(), refused], [requested(), deleted('b'), deleted('a'), withdrawn]])
      spec(publication)
        .given([started, succeeded, ...events])
        .when({ type, ...ids, at: T + 4 })
        .thenRejected('wrong_state');
  });
});

describe('whatever happens', () => {
  const step = fc.constantFrom('a', 'b');
  const command: fc.Arbitrary<(state: PublicationState) => PublicationCommand> = fc.oneof(
    fc.record({ sending: fc.constantFrom('a', 'b', null) }).map(({ sending }) => ({ attempt }: PublicationState) => ({
      type: 'StartAttempt' as const,
      ...ids,
      after: attempt,
      at: T,
      worker: 'w',
      sending,
      projectRevision: null,
    })),
    step.map((name) => ({ attempt }: PublicationState) => ({
      type: 'CompleteStep' as const,
      ...ids,
      attempt,
      at: T,
      step: name,
      result: {},
      messageIds: [name],
      urls: [],
      sending: name === 'a' ? 'b' : null,
    })),
    step.map((name) => ({ attempt }: PublicationState) => ({
      type: 'MarkPublished' as const,
      ...ids,
      attempt,
      at: T,
      messageIds: [name],
      urls: [],
      warnings: [],
    })),
    fc.constant(({ attempt }: PublicationState) => ({
      type: 'PostponePublication' as const,
      ...ids,
      attempt,
      at: T,
      retryAt: T,
      rule: 'retry' as const,
      error,
    })),
    fc.constant(({ attempt }: PublicationState) => ({
      type: 'MarkInDoubt' as const,
      ...ids,
      attempt,
      at: T,
      error,
      resendAt: T,
    })),
    fc.constant(() => ({ type: 'ResendPublication' as const, ...ids, at: T })),
    fc.nat(9).map((n) => () => withdraw(T + n)),
    fc.constant((state: PublicationState) => markDeleted(listRemaining(state)[0] ?? 'none')),
    fc.constant(() => ({ type: 'MarkWithdrawalFailed' as const, ...ids, at: T, error })),
    fc.constant(() => ({ type: 'MarkWithdrawn' as const, ...ids, at: T })),
  );

  it('nothing is sent after a take-back, and only what is gone counts as gone', () => {
    const play = (commands: readonly ((state: PublicationState) => PublicationCommand)[]): void => {
      let state = publication.initial;
      for (const of of commands) {
        const next = of(state);
        const events = publication.decide(next, state);
        if (isRejection(events)) continue;
        const before = state;
        for (const event of events) state = publication.evolve(state, event);
        const isTakenBack = before.withdrawal !== null && before.status !== 'published';
        if (isTakenBack && before.status !== 'publishing') {
          expect(events.map(({ type }) => type)).not.toContain('PublicationStarted');
          expect(state.sending).toBeNull();
        }
        if (state.status === 'withdrawn') expect(listRemaining(state)).toEqual([]);
        if (state.status === 'dismissed' && before.status !== 'withdraw_failed')
          expect(listRemaining(state)).toEqual([]);
      }
    };
    fc.assert(fc.property(fc.array(command, { maxLength: 25 }), play), { numRuns: 2_000 });
  });
});
