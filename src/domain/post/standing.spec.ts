import type { Answered, PostState } from './post.decider.js';
import type { Place } from './post.events.js';
import { type KeyInHand, nextStep, standingOf } from './standing.js';

const HOUR = 3_600_000;
const T = Date.UTC(2025, 2, 14, 12);
const answered = (...keys: string[]): Answered => ({
  at: T,
  keys,
  bodyHash: 'hash',
  answer: { postId: 'post_1', traceId: null, queuedTargets: 1 },
});
const reserved: PostState = { place: { stream: 'post-a', revision: 0 } };
const taken = (keys: Answered) => ({ kind: 'taken', by: keys });

describe('where a key stands (D-19)', () => {
  it.each([
    ['free while nothing was written under it', null, 'unwritten', { kind: 'free' }],
    ['taken by the post that claims it', answered('k'), 'unwritten', taken(answered('k'))],
    ['taken by a post that claims it beside another', answered('h', 'k'), 'unwritten', taken(answered('h', 'k'))],
    ['free where a post in its stream claims other keys', answered('h'), 'unwritten', { kind: 'free' }],
    ['tied while the place that it is tied to is not written', reserved, 'unwritten', { kind: 'tied' }],
    ['taken where the post at that place claims it', reserved, answered('h', 'k'), taken(answered('h', 'k'))],
    ['free where the post at that place does not claim it', reserved, answered('h'), { kind: 'free' }],
    ['free where that place was tied to another itself', reserved, reserved, { kind: 'free' }],
  ] as const)('%s', (_, own, there, standing) => expect(standingOf('k', own, there, T + HOUR)).toEqual(standing));

  it('free again when 24 hours have passed, wherever it was decided', () => {
    for (const [own, there] of [
      [answered('k'), 'unwritten'],
      [reserved, answered('k')],
    ] as const) {
      expect(standingOf('k', own, there, T + 24 * HOUR - 1).kind).toBe('taken');
      expect(standingOf('k', own, there, T + 24 * HOUR).kind).toBe('free');
    }
  });
});

describe('the next step of a request', () => {
  const place = (stream: string, revision = 0): Place => ({ stream, revision });
  const free = (stream: string, revision?: number): KeyInHand<Place> => ({
    standing: { kind: 'free' },
    place: place(stream, revision),
  });
  const tied = (stream: string, revision?: number): KeyInHand<Place> => ({
    standing: { kind: 'tied' },
    place: place(stream, revision),
  });
  const replay: KeyInHand<Place> = { standing: { kind: 'taken', by: answered('k') }, place: null };

  it('with one key is to be accepted where that is decided', () => {
    expect(nextStep([free('post-a', 4)])).toEqual({ kind: 'accept', at: place('post-a', 4) });
    expect(nextStep([tied('post-a', 4)])).toEqual({ kind: 'accept', at: place('post-a', 4) });
  });

  it('with two keys is to tie the place that sorts later to the one that sorts first, whichever the header is', () => {
    const step = { kind: 'reserve', at: place('post-b', 1), to: place('post-a', 2) };
    expect(nextStep([free('post-a', 2), free('post-b', 1)])).toEqual(step);
    expect(nextStep([free('post-b', 1), free('post-a', 2)])).toEqual(step);
    expect(nextStep([tied('post-b', 1), free('post-a', 2)])).toEqual(step);
  });

  it('with two keys that one place decides is to be accepted there', () =>
    expect(nextStep([free('post-a', 2), tied('post-a', 2)])).toEqual({ kind: 'accept', at: place('post-a', 2) }));

  it('is none where a key is taken: it is a replay', () => {
    expect(nextStep([free('post-a'), replay])).toEqual({ kind: 'replay' });
    expect(nextStep([replay, tied('post-a')])).toEqual({ kind: 'replay' });
  });

  it('is to look again where something was written between two reads', () =>
    expect(nextStep([free('post-a', 3), tied('post-a', 2)])).toEqual({ kind: 'look_again' }));
});
