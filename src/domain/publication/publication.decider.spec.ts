import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/decider.js';
import { publication, type PublicationCommand } from './publication.decider.js';
import type { PublicationEvent } from './publication.events.js';

const T = Date.UTC(2025, 2, 14, 12);
const which = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const error = { code: 'timeout', category: 'network', source: 'gateway', message: 'No answer.' };
const reason = { code: 'filtered', message: 'A filter of the project.' };

const started = (attempt: number, sending: string | null = null): PublicationEvent => ({
  type: 'PublicationStarted',
  data: { ...which, attempt, worker: 'w1', sending, at: T, projectRevision: null },
});
const sendBegan = (attempt: number, sending: string): PublicationEvent => ({
  type: 'PublicationStepStarted',
  data: { ...which, attempt, sending },
});
const stepDone = (attempt: number, step: string, messageIds: string[], sending: string | null): PublicationEvent => ({
  type: 'PublicationStepCompleted',
  data: { ...which, attempt, step, result: { id: step }, messageIds, urls: messageIds.map((id) => `/${id}`), sending },
});
const postponed = (attempt: number): PublicationEvent => ({
  type: 'PublicationPostponed',
  data: { ...which, attempt, at: T + 1, retryAt: T + 2, rule: 'retry', error },
});
const failed = (attempt: number): PublicationEvent => ({
  type: 'PublicationFailed',
  data: { ...which, attempt, at: T + 1, error },
});
const doubted = (attempt: number, step = 'send'): PublicationEvent => ({
  type: 'PublicationInDoubt',
  data: { ...which, attempt, at: T + 1, step, error },
});
const succeeded = (attempt: number, messageIds: string[] = ['m1']): PublicationEvent => ({
  type: 'PublicationSucceeded',
  data: { ...which, attempt, at: T + 1, messageIds, urls: messageIds.map((id) => `/${id}`), warnings: [] },
});
const filtered: PublicationEvent = { type: 'PublicationFiltered', data: { ...which, at: T, reason } };
const resent: PublicationEvent = { type: 'PublicationResent', data: { ...which, at: T + 2 } };
const dismissed: PublicationEvent = { type: 'PublicationDismissed', data: { ...which, at: T + 2 } };

const start: PublicationCommand = {
  type: 'Start',
  ...which,
  at: T,
  worker: 'w1',
  sending: null,
  projectRevision: null,
};
const succeed = (attempt: number): PublicationCommand => ({
  ...{ type: 'Succeed', ...which, attempt, at: T + 1 },
  ...{ messageIds: ['m1'], urls: ['/m1'], warnings: [] },
});
const filter: PublicationCommand = { type: 'Filter', ...which, at: T, reason };
const resend: PublicationCommand = { type: 'Resend', ...which, at: T + 2 };
const dismiss: PublicationCommand = { type: 'Dismiss', ...which, at: T + 2 };
const duringAttempt = (attempt: number): PublicationCommand[] => [
  { type: 'BeginSend', ...which, attempt, sending: 'send' },
  { type: 'CompleteStep', ...which, attempt, step: 'upload', result: {}, messageIds: [], urls: [], sending: null },
  { type: 'Postpone', ...which, attempt, at: T, retryAt: T + 1, rule: 'retry', error },
  { type: 'Fail', ...which, attempt, at: T, error },
  { type: 'Doubt', ...which, attempt, at: T, error, resendAt: null },
];

const endings: readonly [string, PublicationEvent[]][] = [
  ['published', [started(1), succeeded(1)]],
  ['failed', [started(1), failed(1)]],
  ['in_doubt', [started(1, 'send'), doubted(1)]],
  ['filtered', [filtered]],
  ['dismissed', [started(1), failed(1), dismissed]],
];

describe('claiming a publication (D-20)', () => {
  it('opens the first attempt and says which visible step goes at once', () => {
    spec(publication)
      .given([])
      .when(start)
      .then([started(1)]);
    spec(publication)
      .given([])
      .when({ ...start, sending: 'send' })
      .then([started(1, 'send')]);
  });

  it('is refused while an attempt is under way', () =>
    spec(publication)
      .given([started(1)])
      .when({ ...start, worker: 'w2' })
      .thenRejected('already_started'));

  it('numbers the attempts one by one, over a resend too', () => {
    spec(publication)
      .given([started(1), postponed(1)])
      .when(start)
      .then([started(2)]);
    spec(publication)
      .given([started(1), postponed(1), started(2), failed(2), resent])
      .when(start)
      .then([started(3)]);
  });

  it.each(endings)('is refused where it is %s', (_, events) =>
    spec(publication).given(events).when(start).thenRejected('over'),
  );
});

describe('a publication for which none of the month’s posts is left (D-46)', () => {
  const hold: PublicationCommand = { type: 'Hold', ...which, at: T, until: T + 9, ownerId: 'own_1', ownerRevision: 3 };
  const held: PublicationEvent = {
    type: 'PublicationHeld',
    data: { ...which, at: T, rule: 'quota', until: T + 9, ownerId: 'own_1', ownerRevision: 3 },
  };

  it('is held, with the owner as it was judged by', () => spec(publication).given([]).when(hold).then([held]));

  it('is queued as before, and its attempts count anew', () => {
    expect(fold(publication, [started(1), postponed(1), held])).toMatchObject({
      ...{ status: 'queued', attempt: 1, failures: 0, firstStartedAt: null, excusedMs: 0 },
    });
    spec(publication)
      .given([started(1), postponed(1), held])
      .when(start)
      .then([started(2)]);
  });

  it.each([['publishing', [started(1)]] as [string, PublicationEvent[]], ...endings])(
    'is not where it is %s',
    (_, events) => spec(publication).given(events).when(hold).thenRejected('over'),
  );
});

describe('an attempt', () => {
  it('says which visible step is about to go', () =>
    spec(publication)
      .given([started(1)])
      .when({ type: 'BeginSend', ...which, attempt: 1, sending: 'send' })
      .then([sendBegan(1, 'send')]));

  it('remembers a step that is done, with its result', () => {
    const done = stepDone(1, 'upload', [], 'send');
    spec(publication)
      .given([started(1)])
      .when({
        ...{ type: 'CompleteStep', ...which, attempt: 1, step: 'upload', result: { id: 'upload' } },
        ...{ messageIds: [], urls: [], sending: 'send' },
      })
      .then([done]);
    expect(fold(publication, [started(1), done])).toMatchObject({
      results: { upload: { id: 'upload' } },
      sending: 'send',
    });
  });

  it('remembers a step once, whoever tells of it (a look-up, a worker that came back)', () =>
    spec(publication)
      .given([started(1, 'album'), stepDone(1, 'album', ['m0'], null)])
      .when({
        ...{ type: 'CompleteStep', ...which, attempt: 1, step: 'album', result: { id: 'album' } },
        ...{ messageIds: ['m0'], urls: [], sending: 'text' },
      })
      .thenRejected('stale_attempt'));

  it('knows when it began', () => expect(fold(publication, [started(1), postponed(1), started(2)]).startedAt).toBe(T));

  it('begins after the steps that earlier ones have done', () =>
    expect(
      fold(publication, [
        ...[started(1), stepDone(1, 'upload', [], null), postponed(1)],
        ...[started(2), stepDone(2, 'save', [], null), postponed(2), started(3)],
      ]).results,
    ).toEqual({ upload: { id: 'upload' }, save: { id: 'save' } }));

  it('settles what its project makes of it once it has a text (D-28)', () => {
    const revisionAfter = (...events: PublicationEvent[]) => fold(publication, events).projectRevision;
    const settling = (attempt: number, projectRevision: string | null): PublicationEvent => ({
      type: 'PublicationStarted',
      data: { ...which, attempt, worker: 'w1', sending: null, at: T, projectRevision },
    });
    expect(revisionAfter(settling(1, null), postponed(1))).toBeNull();
    expect(revisionAfter(settling(1, null), postponed(1), settling(2, '3'), postponed(2))).toBe('3');
    expect(revisionAfter(settling(1, '3'), postponed(1), settling(2, null))).toBe('3');
    // Who sends it again wants what the project says now, unless a part of it is out already.
    expect(revisionAfter(settling(1, '3'), failed(1), resent)).toBeNull();
    expect(revisionAfter(settling(1, '3'), stepDone(1, 'upload', [], null), failed(1), resent)).toBeNull();
    expect(revisionAfter(settling(1, '3'), stepDone(1, 'album', ['m0'], null), failed(1), resent)).toBe('3');
  });

  it('is made ready anew by a resend: an upload may have lapsed, a file been mended; what is out stays out', () => {
    const upload = stepDone(1, 'upload', [], 'album');
    const resultsAfter = (...events: PublicationEvent[]) => fold(publication, events).results;
    expect(resultsAfter(started(1), upload, failed(1), resent)).toEqual({});
    expect(resultsAfter(started(1), upload, doubted(1, 'album'), resent)).toEqual({});
    expect(
      Object.keys(resultsAfter(started(1), upload, stepDone(1, 'album', ['m0'], 'text'), failed(1), resent)),
    ).toEqual(['upload', 'album']);
  });

  it('succeeds with the messages of all its steps, those of earlier attempts first', () =>
    spec(publication)
      .given([started(1), stepDone(1, 'album', ['m0'], 'text'), postponed(1), started(2, 'text')])
      .when(succeed(2))
      .then([succeeded(2, ['m0', 'm1'])]));

  it('that failed for good is over with the reason (D-35)', () =>
    spec(publication)
      .given([started(1)])
      .when({ type: 'Fail', ...which, attempt: 1, at: T + 1, error })
      .then([failed(1)]));

  it('whose outcome nobody knows is in doubt at the step that was going (D-25)', () => {
    const doubt: PublicationCommand = { type: 'Doubt', ...which, attempt: 1, at: T + 1, error, resendAt: null };
    spec(publication)
      .given([started(1, 'send')])
      .when(doubt)
      .then([doubted(1, 'send')]);
    spec(publication)
      .given([started(1), sendBegan(1, 'album')])
      .when(doubt)
      .then([doubted(1, 'album')]);
    spec(publication)
      .given([started(1, 'album'), stepDone(1, 'album', ['m0'], 'text')])
      .when(doubt)
      .then([doubted(1, 'text')]);
    spec(publication)
      .given([started(1)])
      .when(doubt)
      .then([doubted(1, 'unknown')]);
  });

  it('leaves no visible step open when it ends', () => {
    for (const end of [postponed(1), failed(1), doubted(1), succeeded(1)]) {
      expect(fold(publication, [started(1, 'send'), end]).sending).toBeNull();
    }
  });
});

describe('a worker that was taken for dead', () => {
  it.each(duringAttempt(1))('cannot $type once another attempt has taken over', (command) =>
    spec(publication)
      .given([started(1), postponed(1), started(2)])
      .when(command)
      .thenRejected('stale_attempt'),
  );

  it.each(duringAttempt(1))('cannot $type between two attempts', (command) =>
    spec(publication)
      .given([started(1), postponed(1)])
      .when(command)
      .thenRejected('stale_attempt'),
  );

  it.each(endings.flatMap(([status, events]) => duringAttempt(1).map((command) => ({ status, events, command }))))(
    'cannot $command.type what is $status',
    ({ events, command }) => spec(publication).given(events).when(command).thenRejected('stale_attempt'),
  );

  it('cannot speak for an attempt that never was', () => {
    spec(publication).given([]).when(succeed(1)).thenRejected('stale_attempt');
    spec(publication)
      .given([started(1)])
      .when(succeed(2))
      .thenRejected('stale_attempt');
  });

  it('may come back with its success out of the doubt: better late than in doubt (D-25)', () =>
    spec(publication)
      .given([started(1, 'send'), doubted(1)])
      .when(succeed(1))
      .then([succeeded(1)]));

  it('may not, when another attempt has taken over or the owner has decided', () => {
    const doubt = [started(1, 'send'), doubted(1)];
    for (const later of [[resent], [resent, started(2)], [dismissed], [resent, started(2), doubted(2)]]) {
      spec(publication)
        .given([...doubt, ...later])
        .when(succeed(1))
        .thenRejected('stale_attempt');
    }
  });

  it('succeeds once', () =>
    spec(publication)
      .given([started(1), succeeded(1)])
      .when(succeed(1))
      .thenRejected('stale_attempt'));
});

describe('filtering a publication (D-22, D-28)', () => {
  it('is recorded with the reason, and is no failure', () => spec(publication).given([]).when(filter).then([filtered]));

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

  it.each(endings)('is refused where it is %s', (_, events) =>
    spec(publication).given(events).when(filter).thenRejected('over'),
  );
});

describe("the owner's word on a publication (D-25, management-api.md: 409 for a second time)", () => {
  it.each(endings.filter(([status]) => status === 'failed' || status === 'in_doubt'))(
    'resends or dismisses once what is %s',
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
  ] as readonly [string, PublicationEvent[]][])('has nothing to say on what is %s', (_, events) => {
    spec(publication).given(events).when(resend).thenRejected('wrong_state');
    spec(publication).given(events).when(dismiss).thenRejected('wrong_state');
  });

  it('can be given again when what was resent fails or is in doubt again', () => {
    spec(publication)
      .given([started(1), failed(1), resent, started(2), failed(2)])
      .when(resend)
      .then([resent]);
    spec(publication)
      .given([started(1, 'send'), doubted(1), resent, started(2, 'send'), doubted(2)])
      .when(dismiss)
      .then([dismissed]);
  });

  it('resumes after the steps that were done: what readers see already is not sent again', () =>
    expect(
      fold(publication, [started(1), stepDone(1, 'album', ['m0'], 'text'), doubted(1, 'text'), resent]),
    ).toMatchObject({ status: 'queued', results: { album: { id: 'album' } }, messageIds: ['m0'] }));
});
