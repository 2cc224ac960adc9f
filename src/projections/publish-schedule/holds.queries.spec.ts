import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import { findLastAttempt } from './holds.queries.js';

const ids = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const error = { code: 'timeout', category: 'network', source: 'gateway', message: 'No answer.' };
const started: PublicationEvent = {
  type: 'PublicationStarted',
  data: { ...ids, attempt: 1, worker: 'w1', sending: null, at: 1, projectRevision: null },
};
const postponed = (rule: 'retry' | 'platform_limit' | 'interrupted'): PublicationEvent => ({
  type: 'PublicationPostponed',
  data: { ...ids, attempt: 1, at: 1, retryAt: 2, rule, error },
});
const resent: PublicationEvent = { type: 'PublicationResent', data: { ...ids, at: 3 } };
const failed = [started, postponed('retry')];

describe('the latest attempt of a waiting publication', () => {
  it.each([
    ['is none before the first', [], null],
    ['is under way', [started], { number: 1, of: 5, isUnderWay: true, error: null }],
    ['has failed', failed, { number: 1, of: 5, isUnderWay: false, error }],
    ['has failed again', [...failed, ...failed], { number: 2, of: 5, isUnderWay: false, error }],
    ['is under way after one that failed', [...failed, started], { number: 2, of: 5, isUnderWay: true, error }],
    [
      'was put off by the network, which counts no attempt',
      [...failed, started, postponed('platform_limit')],
      { number: 2, of: 5, isUnderWay: false, error },
    ],
    ['was interrupted', [started, postponed('interrupted')], { number: 1, of: 5, isUnderWay: false, error }],
    ['is none after the owner sent it again', [...failed, resent], null],
    ['is the first one after that', [...failed, resent, ...failed], { number: 1, of: 5, isUnderWay: false, error }],
  ] as readonly [string, PublicationEvent[], object | null][])('%s', (_, events, expected) => {
    expect(findLastAttempt(events)).toEqual(expected);
  });
});
