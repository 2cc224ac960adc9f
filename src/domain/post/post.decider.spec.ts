import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { isKeyTaken, listClaimedKeys, post } from './post.decider.js';
import type { KeyEvent, PostAccepted, PostKeyReserved, PostSkipped } from './post.events.js';

const HOUR = 3_600_000;
const T = Date.UTC(2025, 2, 14, 12);
const request = { ip: '192.0.2.7', userAgent: null, route: 'publish', payloadBytes: 17, latencyMs: 3 };

const acceptance = (
  postId: string,
  acceptedAt: number,
  traceId: string | null = 'trace-1',
  externalId: string | null = null,
): PostAccepted['data'] => ({
  postId,
  acceptedAt,
  endpointId: 'ep_1',
  ownerId: 'own_1',
  key: 'order-1',
  externalId,
  traceId,
  bodyHash: `hash of ${postId}`,
  payload: { text: 'Hello' },
  parts: null,
  targets: [
    { publicationId: 'pub_1', channelId: 'tgt_1', platform: 'telegram', projectId: 'prj_1' },
    { publicationId: 'pub_2', channelId: 'tgt_2', platform: 'vk', projectId: 'prj_1' },
  ],
  request,
});
const skipData = (acceptedAt: number): PostSkipped['data'] => ({
  acceptedAt,
  endpointId: 'ep_1',
  ownerId: 'own_1',
  key: 'order-1',
  externalId: null,
  traceId: null,
  bodyHash: 'hash of a skipped post',
  request,
});
const accepted = (...of: Parameters<typeof acceptance>): KeyEvent => ({
  type: 'PostAccepted',
  data: acceptance(...of),
});
const skipped = (at: number): KeyEvent => ({ type: 'PostSkipped', data: skipData(at) });
const reservation: PostKeyReserved['data'] = { endpointId: 'ep_1', place: { stream: 'post-a', revision: 3 }, at: T };
const reserved: KeyEvent = { type: 'PostKeyReserved', data: reservation };

describe('a post under an idempotency key (D-19)', () => {
  it('is accepted: claim, acceptance and stored response are one event', () =>
    spec(post)
      .given([])
      .when({ type: 'AcceptPost', data: acceptance('post_1', T) })
      .then([accepted('post_1', T)]));

  it('is skipped if the endpoint has no project, and still claims the key (D-10)', () =>
    spec(post)
      .given([])
      .when({ type: 'SkipPost', data: skipData(T) })
      .then([skipped(T)]));

  it.each([
    ['accepted', accepted('post_1', T)],
    ['skipped', skipped(T)],
  ])('once %s makes every other post within 24 hours a replay, up to the last millisecond', (_, first) => {
    for (const at of [T, T + 24 * HOUR - 1]) {
      spec(post)
        .given([first])
        .when({ type: 'AcceptPost', data: acceptance('post_2', at) })
        .thenRejected('replay');
      spec(post)
        .given([first])
        .when({ type: 'SkipPost', data: skipData(at) })
        .thenRejected('replay');
    }
  });

  it('is also a replay if the clock of its process is behind', () =>
    spec(post)
      .given([accepted('post_1', T)])
      .when({ type: 'AcceptPost', data: acceptance('post_2', T - HOUR) })
      .thenRejected('replay'));

  it('allows another post to use the key after 24 hours', () => {
    spec(post)
      .given([accepted('post_1', T)])
      .when({ type: 'AcceptPost', data: acceptance('post_2', T + 24 * HOUR) })
      .then([accepted('post_2', T + 24 * HOUR)]);
    spec(post)
      .given([skipped(T)])
      .when({ type: 'SkipPost', data: skipData(T + 24 * HOUR) })
      .then([skipped(T + 24 * HOUR)]);
  });

  it('counts the 24 hours from the latest post of the key', () =>
    spec(post)
      .given([accepted('post_1', T), accepted('post_2', T + 24 * HOUR)])
      .when({ type: 'AcceptPost', data: acceptance('post_3', T + 47 * HOUR) })
      .thenRejected('replay'));
});

describe('a post with two keys (D-19)', () => {
  it('claims the key of the header and external_id, once if they are equal', () => {
    expect(listClaimedKeys({ key: 'order-1', externalId: 'ext-1' })).toEqual(['order-1', 'ext-1']);
    expect(listClaimedKeys({ key: 'ext-1', externalId: 'ext-1' })).toEqual(['ext-1']);
    expect(listClaimedKeys({ key: null, externalId: null })).toEqual([]);
  });

  it('makes a later post with either key a replay', () => {
    const first = [accepted('post_1', T, null, 'ext-1')];
    for (const [key, externalId] of [
      ['order-1', null],
      ['order-2', 'ext-1'],
      ['ext-1', null],
    ] as const)
      spec(post)
        .given(first)
        .when({ type: 'AcceptPost', data: { ...acceptance('post_2', T + HOUR, null, externalId), key } })
        .thenRejected('replay');
  });

  it('does not affect other keys', () =>
    spec(post)
      .given([accepted('post_1', T)])
      .when({ type: 'AcceptPost', data: { ...acceptance('post_2', T + HOUR), key: 'order-2' } })
      .then([{ type: 'PostAccepted', data: { ...acceptance('post_2', T + HOUR), key: 'order-2' } }]));

  it('reserves the key whose stream sorts later for the place of its acceptance', () =>
    spec(post).given([]).when({ type: 'ReservePostKey', data: reservation }).then([reserved]));

  it('may follow a reservation that no longer holds', () =>
    spec(post)
      .given([reserved])
      .when({ type: 'AcceptPost', data: acceptance('post_1', T) })
      .then([accepted('post_1', T)]));

  it('keeps in a reservation the place that decides the key', () =>
    expect(fold(post, [accepted('post_1', T), reserved])).toEqual({ place: { stream: 'post-a', revision: 3 } }));
});

describe('the response that a key stores (D-9)', () => {
  it('contains the id, the trace id and the number of targets of an accepted post (D-10)', () =>
    expect(fold(post, [accepted('post_1', T)])).toEqual({
      at: T,
      keys: ['order-1'],
      bodyHash: 'hash of post_1',
      answer: { postId: 'post_1', traceId: 'trace-1', queuedTargets: 2 },
    }));

  it('contains null for a trace id that was not sent (D-10)', () =>
    expect(fold(post, [accepted('post_1', T, null)])).toMatchObject({ answer: { traceId: null } }));

  it('contains no id and no targets for a skipped post (D-10)', () =>
    expect(fold(post, [skipped(T)])).toEqual({
      at: T,
      keys: ['order-1'],
      bodyHash: 'hash of a skipped post',
      answer: { postId: null, traceId: null, queuedTargets: 0 },
    }));

  it('is that of the latest post, with the body hash by which a replay with another payload is recognised', () =>
    expect(fold(post, [skipped(T), accepted('post_2', T + 24 * HOUR)])).toMatchObject({
      at: T + 24 * HOUR,
      bodyHash: 'hash of post_2',
      answer: { postId: 'post_2' },
    }));
});

describe('a key', () => {
  it('is taken for 24 hours, excluding the moment at which they end (publish-api.md: Limits)', () => {
    expect(isKeyTaken(T, T + 24 * HOUR - 1)).toBe(true);
    expect(isKeyTaken(T, T + 24 * HOUR)).toBe(false);
  });
});
