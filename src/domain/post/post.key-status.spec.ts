import { chooseClaimStep, type KeyClaim, type PostState, type RequestKey, resolveKeyStatus } from './post.decider.js';
import type { Place } from './post.events.js';

const HOUR = 3_600_000;
const T = Date.UTC(2025, 2, 14, 12);
const answered = (...keys: string[]): KeyClaim => ({
  at: T,
  keys,
  bodyHash: 'hash',
  answer: { postId: 'post_1', traceId: null, queuedTargets: 1 },
});
const reserved: PostState = { place: { stream: 'post-a', revision: 0 } };
const taken = (keys: KeyClaim) => ({ kind: 'taken', by: keys });

describe('the status of a key (D-19)', () => {
  it.each([
    ['is free if its stream is empty', null, 'unwritten', { kind: 'free' }],
    ['is taken by the post that claims it', answered('k'), 'unwritten', taken(answered('k'))],
    [
      'is taken by a post that claims it together with another key',
      answered('h', 'k'),
      'unwritten',
      taken(answered('h', 'k')),
    ],
    ['is free if the post in its stream claims other keys', answered('h'), 'unwritten', { kind: 'free' }],
    ['is reserved while the reserved place is not written', reserved, 'unwritten', { kind: 'reserved' }],
    ['is taken if the post at the reserved place claims it', reserved, answered('h', 'k'), taken(answered('h', 'k'))],
    ['is free if the post at the reserved place does not claim it', reserved, answered('h'), { kind: 'free' }],
    ['is free if the reserved place holds another reservation', reserved, reserved, { kind: 'free' }],
  ] as const)('%s', (_, own, there, status) => expect(resolveKeyStatus('k', own, there, T + HOUR)).toEqual(status));

  it('is free again after 24 hours, in its own stream or at a reserved place', () => {
    for (const [own, there] of [
      [answered('k'), 'unwritten'],
      [reserved, answered('k')],
    ] as const) {
      expect(resolveKeyStatus('k', own, there, T + 24 * HOUR - 1).kind).toBe('taken');
      expect(resolveKeyStatus('k', own, there, T + 24 * HOUR).kind).toBe('free');
    }
  });
});

describe('the next step of a request', () => {
  const place = (stream: string, revision = 0): Place => ({ stream, revision });
  const free = (stream: string, revision?: number): RequestKey<Place> => ({
    status: { kind: 'free' },
    place: place(stream, revision),
  });
  const reservedKey = (stream: string, revision?: number): RequestKey<Place> => ({
    status: { kind: 'reserved' },
    place: place(stream, revision),
  });
  const replay: RequestKey<Place> = { status: { kind: 'taken', by: answered('k') }, place: null };

  it('with one key is acceptance at the place that decides it', () => {
    expect(chooseClaimStep([free('post-a', 4)])).toEqual({ kind: 'accept', at: place('post-a', 4) });
    expect(chooseClaimStep([reservedKey('post-a', 4)])).toEqual({ kind: 'accept', at: place('post-a', 4) });
  });

  it('with two keys is to reserve the one whose place sorts later for the other’s place, in either order', () => {
    const step = { kind: 'reserve', at: place('post-b', 1), to: place('post-a', 2) };
    expect(chooseClaimStep([free('post-a', 2), free('post-b', 1)])).toEqual(step);
    expect(chooseClaimStep([free('post-b', 1), free('post-a', 2)])).toEqual(step);
    expect(chooseClaimStep([reservedKey('post-b', 1), free('post-a', 2)])).toEqual(step);
  });

  it('with two keys that one place decides is acceptance there', () =>
    expect(chooseClaimStep([free('post-a', 2), reservedKey('post-a', 2)])).toEqual({
      kind: 'accept',
      at: place('post-a', 2),
    }));

  it('is a replay if a key is taken', () => {
    expect(chooseClaimStep([free('post-a'), replay])).toEqual({ kind: 'replay' });
    expect(chooseClaimStep([replay, reservedKey('post-a')])).toEqual({ kind: 'replay' });
  });

  it('is to read again if an event was appended between two reads', () =>
    expect(chooseClaimStep([free('post-a', 3), reservedKey('post-a', 2)])).toEqual({ kind: 'reread' }));
});
