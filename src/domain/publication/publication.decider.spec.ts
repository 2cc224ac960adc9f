import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { publication, type PublicationCommand } from './publication.decider.js';
import type { PublicationEvent } from './publication.events.js';

const T = Date.UTC(2025, 2, 14, 12);
const ids = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const error = { code: 'timeout', category: 'network', source: 'gateway', message: 'No answer.' };
const reason = { code: 'filtered', message: 'A filter of the project.' };

const started = (attempt: number, sending: string | null = null): PublicationEvent => ({
  type: 'PublicationStarted',
  data: { ...ids, attempt, worker: 'w1', sending, at: T, projectRevision: null },
});
const stepStarted = (attempt: number, sending: string): PublicationEvent => ({
  type: 'PublicationStepStarted',
  data: { ...ids, attempt, sending },
});
const stepCompleted = (
  attempt: number,
  step: string,
  messageIds: string[],
  sending: string | null,
): PublicationEvent => ({
  type: 'PublicationStepCompleted',
  data: { ...ids, attempt, step, result: { id: step }, messageIds, urls: messageIds.map((id) => `/${id}`), sending },
});
const postponed = (attempt: number): PublicationEvent => ({
  type: 'PublicationPostponed',
  data: { ...ids, attempt, at: T + 1, retryAt: T + 2, rule: 'retry', error },
});
const failed = (attempt: number): PublicationEvent => ({
  type: 'PublicationFailed',
  data: { ...ids, attempt, at: T + 1, error },
});
const inDoubt = (attempt: number, step = 'send'): PublicationEvent => ({
  type: 'PublicationInDoubt',
  data: { ...ids, attempt, at: T + 1, step, error },
});
const succeeded = (attempt: number, messageIds: string[] = ['m1']): PublicationEvent => ({
  type: 'PublicationSucceeded',
  data: { ...ids, attempt, at: T + 1, messageIds, urls: messageIds.map((id) => `/${id}`), warnings: [] },
});
const filtered: PublicationEvent = { type: 'PublicationFiltered', data: { ...ids, at: T, reason } };
const resent: PublicationEvent = { type: 'PublicationResent', data: { ...ids, at: T + 2 } };
const dismissed: PublicationEvent = { type: 'PublicationDismissed', data: { ...ids, at: T + 2 } };

const start: PublicationCommand = {
  type: 'StartAttempt',
  ...ids,
  after: 0,
  at: T,
  worker: 'w1',
  sending: null,
  projectRevision: null,
};
const succeed = (attempt: number): PublicationCommand => ({
  type: 'MarkPublished',
  ...ids,
  attempt,
  at: T + 1,
  messageIds: ['m1'],
  urls: ['/m1'],
  warnings: [],
});
const filter: PublicationCommand = { type: 'FilterPublication', ...ids, at: T, reason };
const resend: PublicationCommand = { type: 'ResendPublication', ...ids, at: T + 2 };
const dismiss: PublicationCommand = { type: 'DismissPublication', ...ids, at: T + 2 };
const commandsInAttempt = (attempt: number): PublicationCommand[] => [
  { type: 'StartStep', ...ids, attempt, sending: 'send' },
  { type: 'CompleteStep', ...ids, at: T, attempt, step: 'upload', result: {}, messageIds: [], urls: [], sending: null },
  { type: 'PostponePublication', ...ids, attempt, at: T, retryAt: T + 1, rule: 'retry', error },
  { type: 'MarkFailed', ...ids, attempt, at: T, error },
  { type: 'MarkInDoubt', ...ids, attempt, at: T, error, resendAt: null },
];

const endings: readonly [string, PublicationEvent[]][] = [
  ['published', [started(1), succeeded(1)]],
  ['failed', [started(1), failed(1)]],
  ['in_doubt', [started(1, 'send'), inDoubt(1)]],
  ['filtered', [filtered]],
  ['dismissed', [started(1), failed(1), dismissed]],
];

describe('starting an attempt (D-20)', () => {
  it('records the first attempt and the visible step that is sent immediately', () => {
    spec(publication)
      .given([])
      .when(start)
      .then([started(1)]);
    spec(publication)
      .given([])
      .when({ ...start, sending: 'send' })
      .then([started(1, 'send')]);
  });

  it('is rejected while an attempt is under way', () =>
    spec(publication)
      .given([started(1)])
      .when({ ...start, worker: 'w2' })
      .thenRejected('already_started'));

  it('numbers the attempts in sequence, even across a resend', () => {
    spec(publication)
      .given([started(1), postponed(1)])
      .when({ ...start, after: 1 })
      .then([started(2)]);
    spec(publication)
      .given([started(1), postponed(1), started(2), failed(2), resent])
      .when({ ...start, after: 2 })
      .then([started(3)]);
  });

  it('is rejected if it was prepared before the latest attempt', () =>
    spec(publication)
      .given([started(1), postponed(1)])
      .when({ ...start, after: 0 })
      .thenRejected('stale_attempt'));

  it.each(endings)('is rejected if the publication is %s', (_, events) =>
    spec(publication).given(events).when(start).thenRejected('over'),
  );
});

describe('a publication whose monthly quota is used up (D-46)', () => {
  const hold: PublicationCommand = {
    type: 'HoldPublication',
    ...ids,
    at: T,
    until: T + 9,
    ownerId: 'own_1',
    ownerRevision: 3,
  };
  const held: PublicationEvent = {
    type: 'PublicationHeld',
    data: { ...ids, at: T, rule: 'quota', until: T + 9, ownerId: 'own_1', ownerRevision: 3 },
  };

  it('is held, with the revision of the owner at the check', () => spec(publication).given([]).when(hold).then([held]));

  it('stays queued, and its attempts are counted from zero', () => {
    expect(fold(publication, [started(1), postponed(1), held])).toMatchObject({
      status: 'queued',
      attempt: 1,
      failures: 0,
      firstStartedAt: null,
      waitedMs: 0,
    });
    spec(publication)
      .given([started(1), postponed(1), held])
      .when({ ...start, after: 1 })
      .then([started(2)]);
  });

  it.each([['publishing', [started(1)]] as [string, PublicationEvent[]], ...endings])(
    'is not held if it is %s',
    (_, events) => spec(publication).given(events).when(hold).thenRejected('over'),
  );
});

describe('an attempt', () => {
  it('records the visible step that is about to be sent', () =>
    spec(publication)
      .given([started(1)])
      .when({ type: 'StartStep', ...ids, attempt: 1, sending: 'send' })
      .then([stepStarted(1, 'send')]));

  it('records a completed step with its result', () => {
    const completed = stepCompleted(1, 'upload', [], 'send');
    spec(publication)
      .given([started(1)])
      .when({
        type: 'CompleteStep',
        ...ids,
        at: T,
        attempt: 1,
        step: 'upload',
        result: { id: 'upload' },
        messageIds: [],
        urls: [],
        sending: 'send',
      })
      .then([completed]);
    expect(fold(publication, [started(1), completed])).toMatchObject({
      results: { upload: { id: 'upload' } },
      sending: 'send',
    });
  });

  it('records a step once, whether a look-up or a returning worker reports it', () =>
    spec(publication)
      .given([started(1, 'album'), stepCompleted(1, 'album', ['m0'], null)])
      .when({
        type: 'CompleteStep',
        ...ids,
        at: T,
        attempt: 1,
        step: 'album',
        result: { id: 'album' },
        messageIds: ['m0'],
        urls: [],
        sending: 'text',
      })
      .thenRejected('stale_attempt'));

  it('keeps the moment of its start', () =>
    expect(fold(publication, [started(1), postponed(1), started(2)]).startedAt).toBe(T));

  it('continues after the steps completed by earlier attempts', () =>
    expect(
      fold(publication, [
        ...[started(1), stepCompleted(1, 'upload', [], null), postponed(1)],
        ...[started(2), stepCompleted(2, 'save', [], null), postponed(2), started(3)],
      ]).results,
    ).toEqual({ upload: { id: 'upload' }, save: { id: 'save' } }));

  it('fixes the revision of its project once there is a text (D-28)', () => {
    const revisionAfter = (...events: PublicationEvent[]) => fold(publication, events).projectRevision;
    const startedAt = (attempt: number, projectRevision: string | null): PublicationEvent => ({
      type: 'PublicationStarted',
      data: { ...ids, attempt, worker: 'w1', sending: null, at: T, projectRevision },
    });
    expect(revisionAfter(startedAt(1, null), postponed(1))).toBeNull();
    expect(revisionAfter(startedAt(1, null), postponed(1), startedAt(2, '3'), postponed(2))).toBe('3');
    expect(revisionAfter(startedAt(1, '3'), postponed(1), startedAt(2, null))).toBe('3');
    // A resend uses the project's current processing, unless a part of the post has been published.
    expect(revisionAfter(startedAt(1, '3'), failed(1), resent)).toBeNull();
    expect(revisionAfter(startedAt(1, '3'), stepCompleted(1, 'upload', [], null), failed(1), resent)).toBeNull();
    expect(revisionAfter(startedAt(1, '3'), stepCompleted(1, 'album', ['m0'], null), failed(1), resent)).toBe('3');
  });

  it('is prepared again after a resend, as an upload may have expired or a file been repaired; published parts are kept', () => {
    const upload = stepCompleted(1, 'upload', [], 'album');
    const resultsAfter = (...events: PublicationEvent[]) => fold(publication, events).results;
    expect(resultsAfter(started(1), upload, failed(1), resent)).toEqual({});
    expect(resultsAfter(started(1), upload, inDoubt(1, 'album'), resent)).toEqual({});
    expect(
      Object.keys(resultsAfter(started(1), upload, stepCompleted(1, 'album', ['m0'], 'text'), failed(1), resent)),
    ).toEqual(['upload', 'album']);
  });

  it('succeeds with the messages of all steps, those of earlier attempts first', () =>
    spec(publication)
      .given([started(1), stepCompleted(1, 'album', ['m0'], 'text'), postponed(1), started(2, 'text')])
      .when(succeed(2))
      .then([succeeded(2, ['m0', 'm1'])]));

  it('that failed for good ends with the reason (D-35)', () =>
    spec(publication)
      .given([started(1)])
      .when({ type: 'MarkFailed', ...ids, attempt: 1, at: T + 1, error })
      .then([failed(1)]));

  it('with an unknown outcome is in doubt at the step that was being sent (D-25)', () => {
    const doubt: PublicationCommand = { type: 'MarkInDoubt', ...ids, attempt: 1, at: T + 1, error, resendAt: null };
    spec(publication)
      .given([started(1, 'send')])
      .when(doubt)
      .then([inDoubt(1, 'send')]);
    spec(publication)
      .given([started(1), stepStarted(1, 'album')])
      .when(doubt)
      .then([inDoubt(1, 'album')]);
    spec(publication)
      .given([started(1, 'album'), stepCompleted(1, 'album', ['m0'], 'text')])
      .when(doubt)
      .then([inDoubt(1, 'text')]);
    spec(publication)
      .given([started(1)])
      .when(doubt)
      .then([inDoubt(1, 'unknown')]);
  });

  it('has no visible step open after its end', () => {
    for (const end of [postponed(1), failed(1), inDoubt(1), succeeded(1)]) {
      expect(fold(publication, [started(1, 'send'), end]).sending).toBeNull();
    }
  });
});

describe('a worker that has lost its lease', () => {
  it.each(commandsInAttempt(1))('cannot $type once another attempt has started', (command) =>
    spec(publication)
      .given([started(1), postponed(1), started(2)])
      .when(command)
      .thenRejected('stale_attempt'),
  );

  it.each(commandsInAttempt(1))('cannot $type between two attempts', (command) =>
    spec(publication)
      .given([started(1), postponed(1)])
      .when(command)
      .thenRejected('stale_attempt'),
  );

  it.each(endings.flatMap(([status, events]) => commandsInAttempt(1).map((command) => ({ status, events, command }))))(
    'cannot $command.type if the publication is $status',
    ({ events, command }) => spec(publication).given(events).when(command).thenRejected('stale_attempt'),
  );

  it('cannot report on an attempt that does not exist', () => {
    spec(publication).given([]).when(succeed(1)).thenRejected('stale_attempt');
    spec(publication)
      .given([started(1)])
      .when(succeed(2))
      .thenRejected('stale_attempt');
  });

  it('can still report a success that resolves the doubt (D-25)', () =>
    spec(publication)
      .given([started(1, 'send'), inDoubt(1)])
      .when(succeed(1))
      .then([succeeded(1)]));

  it('can still report a success whatever was recorded since, because readers see it (D-84)', () => {
    const doubt = [started(1, 'send'), inDoubt(1)];
    for (const later of [
      [resent],
      [resent, started(2)],
      [dismissed],
      [resent, started(2), inDoubt(2)],
      [resent, started(2), failed(2)],
      [resent, started(2), postponed(2)],
      [resent, filtered],
    ])
      spec(publication)
        .given([...doubt, ...later])
        .when(succeed(1))
        .then([succeeded(1)]);
    for (const end of [failed(1), postponed(1)])
      spec(publication)
        .given([started(1, 'send'), end])
        .when(succeed(1))
        .then([succeeded(1)]);
  });

  it('can report a success only once', () =>
    spec(publication)
      .given([started(1), succeeded(1)])
      .when(succeed(1))
      .thenRejected('stale_attempt'));
});

describe('filtering a publication (D-22, D-28)', () => {
  it('is recorded with the reason and is not a failure', () =>
    spec(publication).given([]).when(filter).then([filtered]));

  it('is possible between attempts, not during one', () => {
    spec(publication)
      .given([started(1), postponed(1)])
      .when(filter)
      .then([filtered]);
    spec(publication)
      .given([started(1)])
      .when(filter)
      .thenRejected('over');
  });

  it.each(endings)('is rejected if the publication is %s', (_, events) =>
    spec(publication).given(events).when(filter).thenRejected('over'),
  );
});

describe("the owner's decision on a publication (D-25, management-api.md: 409 for a second time)", () => {
  it.each(endings.filter(([status]) => status === 'failed' || status === 'in_doubt'))(
    'resends or dismisses a publication that is %s, once',
    (_, events) => {
      spec(publication).given(events).when(resend).then([resent]);
      spec(publication).given(events).when(dismiss).then([dismissed]);
      for (const command of [resend, dismiss]) {
        for (const first of [resent, dismissed]) {
          spec(publication)
            .given([...events, first])
            .when(command)
            .thenRejected('wrong_state');
        }
      }
    },
  );

  it.each([
    ['queued', []],
    ['publishing', [started(1)]],
    ...endings.filter(([status]) => ['published', 'filtered', 'dismissed'].includes(status)),
  ] as readonly [string, PublicationEvent[]][])('is rejected for a publication that is %s', (_, events) => {
    spec(publication).given(events).when(resend).thenRejected('wrong_state');
    spec(publication).given(events).when(dismiss).thenRejected('wrong_state');
  });

  it('is possible again if the resent publication fails or is in doubt again', () => {
    spec(publication)
      .given([started(1), failed(1), resent, started(2), failed(2)])
      .when(resend)
      .then([resent]);
    spec(publication)
      .given([started(1, 'send'), inDoubt(1), resent, started(2, 'send'), inDoubt(2)])
      .when(dismiss)
      .then([dismissed]);
  });

  it('resumes after the completed steps: parts that readers already see are not sent again', () =>
    expect(
      fold(publication, [started(1), stepCompleted(1, 'album', ['m0'], 'text'), inDoubt(1, 'text'), resent]),
    ).toMatchObject({ status: 'queued', results: { album: { id: 'album' } }, messageIds: ['m0'] }));
});

describe('a cancellation by the owner (management-api.md: Routes)', () => {
  const cancel: PublicationCommand = { type: 'CancelPublication', ...ids, at: T + 2 };

  it.each([
    ['has not begun', []],
    ['waits for its next attempt', [started(1), postponed(1)]],
    ['was queued once more by its owner', [started(1), failed(1), resent]],
  ] as readonly [string, PublicationEvent[]][])('dismisses a publication that %s, for ever', (_, events) => {
    spec(publication).given(events).when(cancel).then([dismissed]);
    const after = [...events, dismissed];
    for (const [command, code] of [
      [start, 'over'],
      [filter, 'over'],
      [cancel, 'wrong_state'],
      [resend, 'wrong_state'],
    ] as const)
      spec(publication).given(after).when(command).thenRejected(code);
  });

  it('is rejected during an attempt, which ends as it ends', () =>
    spec(publication)
      .given([started(1)])
      .when(cancel)
      .thenRejected('publishing'));

  it.each(endings)('is rejected if the publication is %s, and says so', (status, events) => {
    spec(publication).given(events).when(cancel).thenRejected('wrong_state');
    expect(publication.decide(cancel, fold(publication, events))).toMatchObject({
      message: expect.stringContaining(status),
    });
  });
});
