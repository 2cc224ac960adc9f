import { publication, type PublicationState } from '../../domain/publication/publication.decider.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import { fold } from '../../kernel/events.js';
import { isRejection } from '../../kernel/result.js';
import { type KnownPublication, takeOver } from './outcomes.js';

const NOW = 9_000;
const KNOWN: KnownPublication = {
  publication_id: 'pub_1',
  post_id: 'post_1',
  channel_id: 'tgt_1',
  stream: 'post-1',
  revision: '0',
  state: 'queued',
  released_at: 1_000,
  attempts: [],
  message_ids: [],
  urls: [],
  warnings: [],
  owner_id: 'own_1',
  platform: 'vk',
  withdrawal: null,
};
const ERROR = { code: 'chat_not_found', category: 'channel', source: 'platform', message: 'No such chat.' };

/** Executes the commands that take over the known outcomes, after the store's own events. Returns the state. */
const stateAfter = (known: Partial<KnownPublication>, events: readonly PublicationEvent[] = []): PublicationState => {
  let state = fold(publication, events);
  for (const command of takeOver({ ...KNOWN, ...known }, state, NOW)) {
    const decided = publication.decide(command, state);
    if (isRejection(decided)) throw new Error(decided.message);
    state = decided.reduce((before, event) => publication.evolve(before, event), state);
  }
  return state;
};

const IDS = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const STARTED: PublicationEvent = {
  type: 'PublicationStarted',
  data: { attempt: 1, worker: 'w', sending: 'message', at: 1, projectRevision: null, ...IDS },
};
const ended = (error: typeof ERROR | null) => [{ ended_at: 5_000, error }];

describe('what the read model knows about a publication is taken over into a store that does not', () => {
  it.each([
    ['before it was started', []],
    ['during the attempt', [STARTED]],
  ])('an outcome, where the store ends %s', (_, events) => {
    const published = { state: 'published', attempts: ended(null), message_ids: ['7'], urls: ['u'] } as const;
    expect(stateAfter(published, events)).toMatchObject({ status: 'published', messageIds: ['7'], urls: ['u'] });
    expect(stateAfter({ state: 'failed', attempts: ended(ERROR) }, events).status).toBe('failed');
    expect(stateAfter({ state: 'in_doubt', attempts: ended(ERROR) }, events).status).toBe('in_doubt');
  });

  it('an attempt under way, and a part that is visible, are in doubt', () => {
    expect(stateAfter({ state: 'publishing', attempts: [{ ended_at: null, error: null }] }).status).toBe('in_doubt');
    expect(stateAfter({ state: 'queued', attempts: ended(ERROR), message_ids: ['7'] }).status).toBe('in_doubt');
  });

  it('a cancellation and a filter', () => {
    expect(stateAfter({ state: 'dismissed' }).status).toBe('dismissed');
    const warnings = [{ code: 'filtered', message: 'A filter excludes it.' }];
    expect(stateAfter({ state: 'filtered', warnings }).status).toBe('filtered');
  });

  it('a take-back, which is then repeated, also where the store knows that the post was published', () => {
    const gone = { deleted: ['7'], waiting: null, error: null, ended_at: 8_000 };
    const withdrawal = { requested_at: 7_000, by: 'operator', reason: null, attempts: 0, ...gone };
    const known = { state: 'withdrawn', attempts: ended(null), message_ids: ['7'], urls: [], withdrawal } as const;
    const published: PublicationEvent = {
      type: 'PublicationSucceeded',
      data: { attempt: 1, at: 2, messageIds: ['7'], urls: [], warnings: [], ...IDS },
    };
    for (const events of [[], [STARTED], [STARTED, published]])
      expect(stateAfter(known, events)).toMatchObject({ status: 'withdrawing', messageIds: ['7'] });
    expect(stateAfter({ ...known, state: 'withdrawing', message_ids: [] }).status).toBe('withdrawing');
    expect(stateAfter({ ...known, state: 'published' }, [STARTED, published]).status).toBe('published');
  });

  it('but nothing of a planned post, whose time has not come', () => {
    expect(takeOver({ ...KNOWN, state: 'planned', released_at: null }, publication.initial, NOW)).toEqual([]);
  });

  it('but nothing where it waits, or where the store knows the end', () => {
    expect(takeOver(KNOWN, publication.initial, NOW)).toEqual([]);
    const dismissed = stateAfter({ state: 'dismissed' });
    expect(takeOver({ ...KNOWN, state: 'published', message_ids: ['7'] }, dismissed, NOW)).toEqual([]);
  });
});
