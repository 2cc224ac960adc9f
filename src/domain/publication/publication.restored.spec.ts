import { spec } from '../../../test/support/given-when-then.js';
import { publication, type PublicationCommand } from './publication.decider.js';
import { type PublicationEvent, RESTORED } from './publication.events.js';

const T = Date.UTC(2025, 2, 14, 12);
const ids = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const error = { code: RESTORED, category: 'internal', source: 'gateway', message: 'Events were lost.' };
const started: PublicationEvent = {
  type: 'PublicationStarted',
  data: { ...ids, attempt: 1, worker: 'w1', sending: 'audio', at: T, projectRevision: null },
};
const postponed: PublicationEvent = {
  type: 'PublicationPostponed',
  data: { ...ids, attempt: 1, at: T, retryAt: T + 1, rule: 'retry', error },
};
const completed = (attempt: number, step: string, id: string): PublicationEvent => ({
  type: 'PublicationStepCompleted',
  data: { ...ids, attempt, step, result: { id }, messageIds: [id], urls: [], sending: null },
});
const inDoubt = (attempt: number, step = 'unknown'): PublicationEvent => ({
  type: 'PublicationInDoubt',
  data: { ...ids, attempt, at: T, step, error },
});
const dismissed: PublicationEvent = { type: 'PublicationDismissed', data: { ...ids, at: T } };
const markRestored: PublicationCommand = { type: 'MarkRestored', at: T, error, ...ids };
const find = (step: string, id: string, isWhole: boolean): PublicationCommand => {
  const found = { step, result: { id }, isWhole, messageIds: [id], urls: [], warnings: [] };
  return { type: 'MarkFound', at: T, ...found, ...ids };
};
const succeeded = (attempt: number, messageIds: string[]): PublicationEvent => ({
  type: 'PublicationSucceeded',
  data: { ...ids, attempt, at: T, messageIds, urls: [], warnings: [] },
});

describe('a publication that waited when events were lost (D-80)', () => {
  it('is in doubt, in its open attempt or in one of its own', () => {
    spec(publication)
      .given([])
      .when(markRestored)
      .then([inDoubt(1)]);
    spec(publication)
      .given([started, postponed])
      .when(markRestored)
      .then([inDoubt(2)]);
    spec(publication)
      .given([started])
      .when(markRestored)
      .then([inDoubt(1, 'audio')]);
    spec(publication)
      .given([inDoubt(1)])
      .when(markRestored)
      .thenRejected('over');
  });

  it('is published once a look-up has found it, with what was known before', () => {
    const before = [started, completed(1, 'message', 'm1'), postponed, inDoubt(2)];
    spec(publication)
      .given(before)
      .when(find('audio', 'm2', true))
      .then([succeeded(2, ['m1', 'm2'])]);
  });

  it('keeps a step that was found, so that sending again sends only the rest', () => {
    const found = completed(1, 'message', 'm1');
    spec(publication)
      .given([inDoubt(1)])
      .when(find('message', 'm1', false))
      .then([found]);
    spec(publication)
      .given([inDoubt(1), found])
      .when(find('message', 'm1', false))
      .then([]);
    spec(publication)
      .given([inDoubt(1), found])
      .when(find('audio', 'm2', true))
      .then([succeeded(1, ['m1', 'm2'])]);
  });

  it('is left alone if someone settled it during the look-up', () =>
    spec(publication)
      .given([inDoubt(1), dismissed])
      .when(find('message', 'm1', true))
      .thenRejected('over'));

  it('is resolved by a late answer of a worker that was slow', () =>
    spec(publication)
      .given([inDoubt(1)])
      .when({ type: 'MarkPublished', attempt: 1, at: T, messageIds: ['m1'], urls: [], warnings: [], ...ids })
      .then([succeeded(1, ['m1'])]));
});
