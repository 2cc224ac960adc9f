import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { publication, type PublicationCommand } from './publication.decider.js';
import type { PublicationEvent } from './publication.events.js';

const T = Date.UTC(2025, 2, 14, 12);
const ids = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const error = { code: 'timeout', category: 'network', source: 'gateway', message: 'No answer.' };

const started = (attempt: number, sending: string | null = null): PublicationEvent => ({
  type: 'PublicationStarted',
  data: { ...ids, attempt, worker: 'w1', sending, at: T, projectRevision: null },
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

describe('a duplicate that the gateway knows of (D-84)', () => {
  const duplicate = (attempt: number, messageIds: string[], at = T + 1): PublicationEvent => ({
    type: 'PublicationDuplicateFound',
    data: { ...ids, attempt, at, messageIds, urls: messageIds.map((id) => `/${id}`) },
  });
  const dismissDuplicate: PublicationCommand = { type: 'DismissDuplicate', ...ids, at: T + 2 };
  const duplicateDismissed: PublicationEvent = {
    type: 'PublicationDuplicateDismissed',
    data: { ...ids, at: T + 2 },
  };
  const published = [started(1, 'send'), postponed(1), started(2, 'send'), succeeded(2, ['m2'])];
  const complete = (attempt: number, step: string, messageIds: string[]): PublicationCommand => ({
    type: 'CompleteStep',
    ...ids,
    at: T + 1,
    attempt,
    step,
    result: { id: step },
    messageIds,
    urls: messageIds.map((id) => `/${id}`),
    sending: 'text',
  });

  it('is recorded when a given-up attempt reports a success beside the one that was counted', () =>
    spec(publication)
      .given(published)
      .when(succeed(1))
      .then([duplicate(1, ['m1'])]));

  it('is recorded when the worker that was taken over sent the same attempt', () =>
    spec(publication)
      .given([started(1, 'send'), succeeded(1, ['m2'])])
      .when(succeed(1))
      .then([duplicate(1, ['m1'])]));

  it('is recorded when the attempt that a late success overtook succeeds as well', () =>
    spec(publication)
      .given([started(1, 'send'), postponed(1), started(2, 'send'), succeeded(1, ['m0'])])
      .when(succeed(2))
      .then([duplicate(2, ['m1'])]));

  it('is none if a look-up found the same message', () =>
    spec(publication)
      .given([started(1, 'send'), succeeded(1, ['m1'])])
      .when(succeed(1))
      .thenRejected('stale_attempt'));

  it('is recorded once, also after it was dismissed', () => {
    const found = [...published, duplicate(1, ['m1'])];
    spec(publication).given(found).when(succeed(1)).thenRejected('stale_attempt');
    spec(publication)
      .given([...found, duplicateDismissed])
      .when(succeed(1))
      .thenRejected('stale_attempt');
  });

  it('leaves the publication as it was', () =>
    expect(fold(publication, [...published, duplicate(1, ['m1'])])).toMatchObject({
      status: 'published',
      messageIds: ['m2'],
      duplicateIds: ['m1'],
    }));

  it('is dismissed once', () => {
    const found = [...published, duplicate(1, ['m1'])];
    spec(publication).given(published).when(dismissDuplicate).thenRejected('wrong_state');
    spec(publication).given(found).when(dismissDuplicate).then([duplicateDismissed]);
    spec(publication)
      .given([...found, duplicateDismissed])
      .when(dismissDuplicate)
      .thenRejected('wrong_state');
  });

  it('of a step is recorded while another attempt goes on', () =>
    spec(publication)
      .given([started(1, 'album'), postponed(1), started(2, 'album'), stepCompleted(2, 'album', ['m2'], 'text')])
      .when(complete(1, 'album', ['m1']))
      .then([duplicate(1, ['m1'])]));

  it('is avoided if a step is reported late that no other attempt has completed: the next one sends the rest', () => {
    for (const [later, sending] of [
      [[postponed(1)], null],
      [[inDoubt(1, 'album')], null],
      [[failed(1)], null],
      [[postponed(1), started(2, 'album')], null],
    ] as const)
      spec(publication)
        .given([started(1, 'album'), ...later])
        .when(complete(1, 'album', ['m1']))
        .then([stepCompleted(1, 'album', ['m1'], sending)]);
    spec(publication)
      .given([started(1, 'album'), postponed(1), stepCompleted(1, 'album', ['m1'], null)])
      .when({ ...start, after: 1, sending: 'album' })
      .thenRejected('stale_attempt');
  });
});
