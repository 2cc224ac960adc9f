import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/decider.js';
import { claimedKeys, keyIsTaken, post } from './post.decider.js';
import type { PostAccepted, PostEvent, PostKeyReserved, PostSkipped } from './post.events.js';

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
const passing = (acceptedAt: number): PostSkipped['data'] => ({
  acceptedAt,
  endpointId: 'ep_1',
  ownerId: 'own_1',
  key: 'order-1',
  externalId: null,
  traceId: null,
  bodyHash: 'hash of a post passed over',
  request,
});
const accepted = (...of: Parameters<typeof acceptance>): PostEvent => ({
  type: 'PostAccepted',
  data: acceptance(...of),
});
const passedOver = (at: number): PostEvent => ({ type: 'PostSkipped', data: passing(at) });
const reservation: PostKeyReserved['data'] = { endpointId: 'ep_1', place: { stream: 'post-a', revision: 3 }, at: T };
const reserved: PostEvent = { type: 'PostKeyReserved', data: reservation };

describe('a post under an idempotency key (D-19)', () => {
  it('is accepted: claim, acceptance and answer are one event', () =>
    spec(post)
      .given([])
      .when({ type: 'AcceptPost', data: acceptance('post_1', T) })
      .then([accepted('post_1', T)]));

  it('with no project bound is passed over, and the key is claimed all the same (D-10)', () =>
    spec(post)
      .given([])
      .when({ type: 'PassPostOver', data: passing(T) })
      .then([passedOver(T)]));

  it.each([
    ['accepted', accepted('post_1', T)],
    ['passed over', passedOver(T)],
  ])('once %s makes every other post within 24 hours a replay, to the last millisecond', (_, first) => {
    for (const at of [T, T + 24 * HOUR - 1]) {
      spec(post)
        .given([first])
        .when({ type: 'AcceptPost', data: acceptance('post_2', at) })
        .thenRejected('replay');
      spec(post)
        .given([first])
        .when({ type: 'PassPostOver', data: passing(at) })
        .thenRejected('replay');
    }
  });

  it('is a replay also where the clock of another process is behind', () =>
    spec(post)
      .given([accepted('post_1', T)])
      .when({ type: 'AcceptPost', data: acceptance('post_2', T - HOUR) })
      .thenRejected('replay'));

  it('leaves the key to another post when 24 hours have passed', () => {
    spec(post)
      .given([accepted('post_1', T)])
      .when({ type: 'AcceptPost', data: acceptance('post_2', T + 24 * HOUR) })
      .then([accepted('post_2', T + 24 * HOUR)]);
    spec(post)
      .given([passedOver(T)])
      .when({ type: 'PassPostOver', data: passing(T + 24 * HOUR) })
      .then([passedOver(T + 24 * HOUR)]);
  });

  it('counts the 24 hours from the latest post of the key', () =>
    spec(post)
      .given([accepted('post_1', T), accepted('post_2', T + 24 * HOUR)])
      .when({ type: 'AcceptPost', data: acceptance('post_3', T + 47 * HOUR) })
      .thenRejected('replay'));
});

describe('a post with two keys (D-19)', () => {
  it('claims the header and external_id, each once', () => {
    expect(claimedKeys({ key: 'order-1', externalId: 'ext-1' })).toEqual(['order-1', 'ext-1']);
    expect(claimedKeys({ key: 'ext-1', externalId: 'ext-1' })).toEqual(['ext-1']);
    expect(claimedKeys({ key: null, externalId: null })).toEqual([]);
  });

  it('makes a later post with either of them a replay', () => {
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

  it('leaves a place free for other keys: it decided for its own alone', () =>
    spec(post)
      .given([accepted('post_1', T)])
      .when({ type: 'AcceptPost', data: { ...acceptance('post_2', T + HOUR), key: 'order-2' } })
      .then([{ type: 'PostAccepted', data: { ...acceptance('post_2', T + HOUR), key: 'order-2' } }]));

  it('ties the key whose stream sorts later to the place where it will be accepted', () =>
    spec(post).given([]).when({ type: 'ReservePostKey', data: reservation }).then([reserved]));

  it('may follow a reservation that leads nowhere any more', () =>
    spec(post)
      .given([reserved])
      .when({ type: 'AcceptPost', data: acceptance('post_1', T) })
      .then([accepted('post_1', T)]));

  it('a reservation says where the key is decided', () =>
    expect(fold(post, [accepted('post_1', T), reserved])).toEqual({ place: { stream: 'post-a', revision: 3 } }));
});

describe('the answer that a key remembers (D-9)', () => {
  it('of an accepted post has its id, its trace id and the number of its targets (D-10)', () =>
    expect(fold(post, [accepted('post_1', T)])).toEqual({
      at: T,
      keys: ['order-1'],
      bodyHash: 'hash of post_1',
      answer: { postId: 'post_1', traceId: 'trace-1', queuedTargets: 2 },
    }));

  it('has null for a trace id that was not sent (D-10)', () =>
    expect(fold(post, [accepted('post_1', T, null)])).toMatchObject({ answer: { traceId: null } }));

  it('of a post passed over has no id and no targets (D-10)', () =>
    expect(fold(post, [passedOver(T)])).toEqual({
      at: T,
      keys: ['order-1'],
      bodyHash: 'hash of a post passed over',
      answer: { postId: null, traceId: null, queuedTargets: 0 },
    }));

  it('is that of the latest post, whose body tells a replay with another payload', () =>
    expect(fold(post, [passedOver(T), accepted('post_2', T + 24 * HOUR)])).toMatchObject({
      at: T + 24 * HOUR,
      bodyHash: 'hash of post_2',
      answer: { postId: 'post_2' },
    }));
});

describe('a key', () => {
  it('is taken for 24 hours, the moment at which they end not included (publish-api.md: Limits)', () => {
    expect(keyIsTaken(T, T + 24 * HOUR - 1)).toBe(true);
    expect(keyIsTaken(T, T + 24 * HOUR)).toBe(false);
  });
});
