import fc from 'fast-check';
import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { isRejection } from '../../kernel/result.js';
import { contentToSend, nextChangeOf } from './edit.js';
import { publication, type PublicationCommand, type PublicationState } from './publication.decider.js';
import type { Content, PublicationEvent } from './publication.events.js';

const T = Date.UTC(2025, 2, 14, 12);
const ids = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const error = { code: 'timeout', category: 'network', source: 'gateway', message: 'No answer.' };
const request = { ownerId: 'own_1', platform: 'vk', by: 'operator', releasedRevision: 0, requestedAt: T } as const;
const contentOf = (revision: number): Content => ({ revision, streamRevision: revision });

const started: PublicationEvent = {
  type: 'PublicationStarted',
  data: { ...ids, attempt: 1, worker: 'w1', sending: 'a', at: T, projectRevision: '1' },
};
const succeeded: PublicationEvent = {
  type: 'PublicationSucceeded',
  data: { ...ids, attempt: 1, at: T, messageIds: ['a'], urls: [], warnings: [] },
};
const postponed: PublicationEvent = {
  type: 'PublicationPostponed',
  data: { ...ids, attempt: 1, at: T, retryAt: T, rule: 'retry', error },
};
const uploaded: PublicationEvent = {
  type: 'PublicationStepCompleted',
  data: { ...ids, attempt: 1, step: 'photo', result: { id: 1 }, messageIds: [], urls: [], sending: 'a' },
};
const requested = (revision: number, waits: boolean): PublicationEvent => ({
  type: 'PublicationEditRequested',
  data: { ...ids, ...request, at: T, content: contentOf(revision), waits },
});
const refused: PublicationEvent = {
  type: 'PublicationEditFailed',
  data: { ...ids, at: T, revision: 2, error, done: [] },
};
const edit = (revision: number, more: object = {}): PublicationCommand => ({
  type: 'EditPublication',
  ...ids,
  ...request,
  at: T,
  content: contentOf(revision),
  refusal: null,
  ...more,
});
const start = (after: number, content?: Content): PublicationCommand => ({
  type: 'StartAttempt',
  ...ids,
  after,
  at: T,
  worker: 'w1',
  sending: 'a',
  projectRevision: '1',
  ...(content && { content }),
});
const markEdited = (revision: number): PublicationCommand => ({
  type: 'MarkEdited',
  ...ids,
  at: T,
  content: contentOf(revision),
  projectRevision: '1',
  results: {},
  changed: true,
  warnings: [],
});

describe('newer content of a publication (D-72)', () => {
  it('is due where readers see it, and refused at once where the messages cannot hold it', () => {
    spec(publication)
      .given([started, succeeded])
      .when(edit(2))
      .then([requested(2, false)]);
    spec(publication)
      .given([started, succeeded])
      .when(edit(2, { refusal: error }))
      .then([requested(2, false), refused]);
  });

  it('is what the next attempt sends, and no other attempt may start', () => {
    const queued = [requested(2, true)];
    spec(publication).given(queued).when(start(0)).thenRejected('stale_attempt');
    const state = fold(publication, queued);
    expect(contentToSend(state)).toEqual(contentOf(2));
    const after = publication.decide(start(0, contentOf(2)), state);
    if (isRejection(after)) throw new Error(after.message);
    expect(fold(publication, [...queued, ...after])).toMatchObject({ content: contentOf(2), edit: null });
  });

  it('keeps no upload of the former content', () => {
    const state = fold(publication, [started, uploaded, postponed, requested(2, true)]);
    expect([state.results, state.projectRevision, contentToSend(state)]).toEqual([{}, null, contentOf(2)]);
    const during = fold(publication, [started, uploaded, requested(2, true)]);
    expect([contentToSend(during), during.results]).toEqual([null, { photo: { id: 1 } }]);
    expect(fold(publication, [started, uploaded, requested(2, true), postponed]).results).toEqual({});
  });

  it('follows an attempt that has begun, with its success', () => {
    spec(publication)
      .given([started, requested(2, true)])
      .when({ type: 'MarkPublished', ...ids, attempt: 1, at: T, messageIds: ['a'], urls: [], warnings: [] })
      .then([succeeded, requested(2, false)]);
  });

  it('is tried again on demand, but not by a repeated request', () => {
    const failed = [started, succeeded, requested(2, false), refused];
    spec(publication).given(failed).when(edit(2)).then([]);
    const again = { ...requested(2, false).data, requestedAt: T + 1 } as object;
    spec(publication)
      .given(failed)
      .when(edit(2, { requestedAt: T + 1 }))
      .then([{ type: 'PublicationEditRequested', data: again } as PublicationEvent]);
    spec(publication)
      .given([started, succeeded, requested(3, false)])
      .when(edit(2))
      .then([]);
    spec(publication)
      .given([started, succeeded, requested(3, false)])
      .when(markEdited(2))
      .then([]);
  });

  it('is left by a person once it failed, and replaced by newer content', () => {
    const failed = [started, succeeded, requested(2, false), refused];
    const dismiss: PublicationCommand = { type: 'DismissPublication', ...ids, at: T };
    const dropped: PublicationEvent = { type: 'PublicationEditDropped', data: { ...ids, at: T } };
    spec(publication).given(failed).when(dismiss).then([dropped]);
    spec(publication)
      .given([...failed, dropped])
      .when(dismiss)
      .thenRejected('wrong_state');
    spec(publication)
      .given([started, succeeded, requested(2, false)])
      .when(dismiss)
      .thenRejected('wrong_state');
    spec(publication)
      .given([...failed, dropped])
      .when(edit(2, { requestedAt: T + 1 }))
      .then([]);
    spec(publication)
      .given([...failed, dropped])
      .when(edit(3))
      .then([requested(3, false)]);
  });

  it('is given up after five tries (D-20)', () => {
    const next = (tries: number): PublicationCommand => ({
      type: 'PostponeEdit',
      ...ids,
      at: T + tries,
      revision: 2,
      retryAt: T + 10,
      rule: 'retry',
      error,
      gaveUp: { ...error, code: 'gave_up' },
      done: [],
    });
    const events = [started, succeeded, requested(2, false)];
    for (let tries = 0; tries < 5; tries++) {
      const decided = publication.decide(next(tries), fold(publication, events));
      if (isRejection(decided)) throw new Error(decided.message);
      events.push(...decided);
    }
    expect(events.at(-1)).toMatchObject({ type: 'PublicationEditFailed', data: { error: { code: 'gave_up' } } });
    expect(nextChangeOf(fold(publication, events))).toBeNull();
  });

  it('says nothing where readers will never see anything', () => {
    const dismissed: PublicationEvent = { type: 'PublicationDismissed', data: { ...ids, at: T } };
    spec(publication).given([dismissed]).when(edit(2)).then([]);
  });
});

describe('whatever happens', () => {
  type Move = 'start' | 'outdated' | 'a' | 'b' | 'publish' | 'postpone' | 'fail' | 'doubt' | 'resend' | 'edit' | 'work';
  type Result = 'refuse' | 'delay' | 'withdraw';
  const move = fc.constantFrom<Move | Result>(
    ...(['start', 'start', 'outdated', 'a', 'b', 'publish', 'publish', 'postpone', 'fail', 'doubt', 'resend'] as const),
    ...(['edit', 'edit', 'work', 'work', 'refuse', 'delay'] as const),
  );

  const commandFor = (name: Move | Result, state: PublicationState, next: number): PublicationCommand => {
    const { attempt } = state;
    const ofAttempt = { ...ids, attempt, at: T };
    const revision = state.edit?.content.revision ?? 0;
    switch (name) {
      case 'start':
        return start(attempt, contentToSend(state) ?? undefined);
      case 'outdated':
        return start(attempt);
      case 'a':
      case 'b': {
        const sent = { step: name, result: {}, messageIds: [name], urls: [] };
        return { type: 'CompleteStep', ...ofAttempt, ...sent, sending: name === 'a' ? 'b' : null };
      }
      case 'publish':
        return { type: 'MarkPublished', ...ofAttempt, messageIds: ['c'], urls: [], warnings: [] };
      case 'postpone':
        return { type: 'PostponePublication', ...ofAttempt, retryAt: T, rule: 'platform_limit', error };
      case 'fail':
        return { type: 'MarkFailed', ...ofAttempt, error };
      case 'doubt':
        return { type: 'MarkInDoubt', ...ofAttempt, error, resendAt: null };
      case 'resend':
        return { type: 'ResendPublication', ...ids, at: T };
      case 'edit':
        return edit(next);
      case 'work':
        return markEdited(revision);
      case 'refuse':
        return { type: 'MarkEditFailed', ...ids, at: T, revision, error, done: [] };
      case 'delay':
        return {
          type: 'PostponeEdit',
          ...ids,
          at: T,
          revision,
          retryAt: T,
          rule: 'retry',
          error,
          gaveUp: error,
          done: [],
        };
      case 'withdraw':
        return { type: 'WithdrawPublication', ...ids, ...request, at: T, reason: null };
    }
  };

  it('readers see one revision at the end, the newest, or the publication says why not', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        let state = publication.initial;
        const shown = new Map<string, number>();
        let [newest, next] = [0, 2];
        for (const name of moves) {
          const command = commandFor(name, state, next);
          const events = publication.decide(command, state);
          if (isRejection(events) || events.length === 0) continue;
          if (name === 'edit') newest = next++;
          for (const event of events) {
            const before = new Set(state.messageIds);
            state = publication.evolve(state, event);
            for (const id of state.messageIds) if (!before.has(id)) shown.set(id, state.content?.revision ?? 0);
            if (event.type === 'PublicationEdited')
              for (const id of shown.keys()) shown.set(id, event.data.content.revision);
          }
          expect(new Set(shown.values()).size).toBeLessThanOrEqual(1);
          if (state.status !== 'published') continue;
          const [seen] = shown.values();
          expect(seen).toBe(state.content?.revision ?? 0);
          expect(seen === newest).toBe(state.edit === null);
          expect(state.edit?.content.revision ?? newest).toBe(newest);
          expect(state.edit?.status).not.toBe('waiting');
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
