import fc from 'fast-check';
import { isRejection } from '../../kernel/result.js';
import { MAX_ATTEMPTS } from './attempt-bounds.js';
import { publication, type PublicationCommand, type PublicationState } from './publication.decider.js';
import type { PublicationEvent } from './publication.events.js';

const HOUR = 3_600_000;
const T = Date.UTC(2025, 2, 14);
const which = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const error = { code: 'timeout', category: 'network', source: 'gateway', message: 'No answer.' };
const runs = { seed: 20, numRuns: process.env.TEST_LONG ? 20_000 : 1_000 };

/** A command as workers and owners give it: for the attempt that is open, or for an older or a later one. */
type Draft = (state: PublicationState, at: number) => PublicationCommand;

const sending = fc.constantFrom(null, 'album', 'text');
const attemptOff = fc.oneof({ arbitrary: fc.constant(0), weight: 6 }, fc.integer({ min: -2, max: 1 }));
const messageIds = fc.array(fc.constantFrom('m1', 'm2'), { maxLength: 2 });
const drafts: fc.Arbitrary<Draft> = fc.oneof(
  {
    arbitrary: sending.map((step): Draft => (_, at) => ({
      type: 'Start',
      ...which,
      at,
      worker: 'w',
      sending: step,
      projectRevision: null,
    })),
    weight: 5,
  },
  attemptOff.map((off): Draft => ({ attempt }) => ({
    ...{ type: 'BeginSend', ...which, attempt: attempt + off, sending: 'text' },
  })),
  fc.tuple(attemptOff, sending, messageIds).map(([off, next, ids]): Draft => ({ attempt }) => ({
    ...{ type: 'CompleteStep', ...which, attempt: attempt + off, step: 'album' },
    ...{ result: {}, messageIds: ids, urls: [], sending: next },
  })),
  fc.tuple(attemptOff, messageIds).map(([off, ids]): Draft => ({ attempt }, at) => ({
    ...{ type: 'Succeed', ...which, attempt: attempt + off, at, messageIds: ids, urls: [], warnings: [] },
  })),
  {
    arbitrary: fc
      .tuple(
        attemptOff,
        fc.constantFrom('retry', 'platform_limit', 'needs_attention', 'interrupted'),
        fc.nat(48 * HOUR),
      )
      .map(([off, rule, wait]): Draft => ({ attempt }, at) => ({
        ...{ type: 'Postpone', ...which, attempt: attempt + off, at, retryAt: at + wait, rule, error },
      })),
    weight: 4,
  },
  attemptOff.map((off): Draft => ({ attempt }, at) => ({ type: 'Fail', ...which, attempt: attempt + off, at, error })),
  fc.tuple(attemptOff, fc.option(fc.nat(48 * HOUR))).map(([off, wait]): Draft => ({ attempt }, at) => ({
    ...{ type: 'Doubt', ...which, attempt: attempt + off, at, error },
    resendAt: wait === null ? null : at + wait,
  })),
  fc.constant<Draft>((_, at) => ({ type: 'Filter', ...which, at, reason: { code: 'filtered', message: 'Filtered.' } })),
  fc.nat(31 * 24 * HOUR).map((wait): Draft => (_, at) => ({
    ...{ type: 'Hold', ...which, at, until: at + wait, ownerId: 'own_1', ownerRevision: 0 },
  })),
  fc.constantFrom('Resend', 'Dismiss').map((type): Draft => (_, at) => ({ type, ...which, at })),
);
const story = fc.array(fc.tuple(drafts, fc.nat(10 * 60_000)), { minLength: 1, maxLength: 40 });

interface Told {
  readonly before: PublicationState;
  readonly event: PublicationEvent;
  readonly after: PublicationState;
}

/** Runs a story, time going on between the commands; what was refused has left no trace. */
const told = (commands: readonly (readonly [Draft, number])[]): Told[] => {
  let state = publication.initial;
  let at = T;
  return commands.flatMap(([draft, later]) => {
    at += later;
    const events = publication.decide(draft(state, at), state);
    if (isRejection(events)) return [];
    return events.map((event) => {
      const before = state;
      state = publication.evolve(state, event);
      return { before, event, after: state };
    });
  });
};

const property = (check: (events: readonly Told[]) => void) => () =>
  fc.assert(
    fc.property(story, (commands) => check(told(commands))),
    runs,
  );

const isOver = ({ status }: PublicationState) => status !== 'queued' && status !== 'publishing';

describe('a publication, whatever is asked of it', () => {
  it(
    'never has two attempts open (D-20)',
    property((events) => {
      let open: number | null = null;
      for (const { event, after } of events) {
        if (event.type === 'PublicationStarted') {
          expect(open).toBeNull();
          open = event.data.attempt;
        } else if (event.type === 'PublicationStepStarted' || event.type === 'PublicationStepCompleted') {
          expect(event.data.attempt).toBe(open);
        } else {
          open = null;
        }
        expect(after.status === 'publishing').toBe(open !== null);
      }
    }),
  );

  it(
    'numbers its attempts from one, without a gap',
    property((events) => {
      const attempts = events.flatMap(({ event }) => (event.type === 'PublicationStarted' ? [event.data.attempt] : []));
      expect(attempts).toEqual(attempts.map((_, i) => i + 1));
    }),
  );

  it(
    "leaves its end only by the owner's word or by a success that came late (D-25)",
    property((events) => {
      for (const { before, event, after } of events) {
        if (!isOver(before)) continue;
        const ways: Partial<Record<PublicationState['status'], string[]>> = {
          failed: ['PublicationResent', 'PublicationDismissed'],
          in_doubt: ['PublicationResent', 'PublicationDismissed', 'PublicationSucceeded'],
        };
        expect(ways[before.status] ?? []).toContain(event.type);
        if (event.type === 'PublicationSucceeded') expect(event.data.attempt).toBe(before.attempt);
        expect(after.status).not.toBe(before.status);
      }
    }),
  );

  it(
    'is published at most once, and then for ever',
    property((events) => {
      const success = events.findIndex(({ event }) => event.type === 'PublicationSucceeded');
      if (success >= 0) expect(events).toHaveLength(success + 1);
    }),
  );

  it(
    'has the messages of all steps in its success, in their order',
    property((events) => {
      for (const { before, event, after } of events) {
        if (event.type !== 'PublicationSucceeded') continue;
        expect(event.data.messageIds.slice(0, before.messageIds.length)).toEqual(before.messageIds);
        expect(after.messageIds).toEqual(event.data.messageIds);
      }
    }),
  );

  it(
    'is put off at most four times for failed attempts, and never past 24 hours and a quarter (D-20)',
    property((events) => {
      let failures = 0;
      let first: number | null = null;
      for (const { event } of events) {
        if (event.type === 'PublicationResent' || event.type === 'PublicationHeld') {
          failures = 0;
          first = null;
        }
        if (event.type === 'PublicationStarted') first ??= event.data.at;
        if (event.type !== 'PublicationPostponed') continue;
        if (event.data.rule === 'retry') failures += 1;
        expect(failures).toBeLessThan(MAX_ATTEMPTS);
        expect(event.data.retryAt).toBeLessThanOrEqual(first! + 24.25 * HOUR);
      }
    }),
  );
});
