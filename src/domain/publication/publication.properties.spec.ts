import fc from 'fast-check';
import { isRejection } from '../../kernel/result.js';
import { publication, type PublicationCommand, type PublicationState } from './publication.decider.js';
import type { PublicationEvent } from './publication.events.js';
import { MAX_ATTEMPTS } from './retry-limits.js';

const HOUR = 3_600_000;
const T = Date.UTC(2025, 2, 14);
const ids = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const error = { code: 'timeout', category: 'network', source: 'gateway', message: 'No answer.' };
const runs = { seed: 20, numRuns: process.env.TEST_LONG ? 20_000 : 1_000 };

/** Creates a worker's or an owner's command for the open attempt, an earlier one or a later one. */
type CommandFactory = (state: PublicationState, at: number) => PublicationCommand;

const sending = fc.constantFrom(null, 'album', 'text');
const attemptOff = fc.oneof({ arbitrary: fc.constant(0), weight: 6 }, fc.integer({ min: -2, max: 1 }));
const messageIds = fc.array(fc.constantFrom('m1', 'm2'), { maxLength: 2 });
const commandFactories: fc.Arbitrary<CommandFactory> = fc.oneof(
  {
    arbitrary: fc.tuple(attemptOff, sending).map(([off, step]): CommandFactory => ({ attempt }, at) => ({
      type: 'StartAttempt',
      ...ids,
      after: attempt + off,
      at,
      worker: 'w',
      sending: step,
      projectRevision: null,
    })),
    weight: 5,
  },
  attemptOff.map((off): CommandFactory => ({ attempt }) => ({
    type: 'StartStep',
    ...ids,
    attempt: attempt + off,
    sending: 'text',
  })),
  fc.tuple(attemptOff, sending, messageIds).map(([off, next, messages]): CommandFactory => ({ attempt }, at) => ({
    type: 'CompleteStep',
    ...ids,
    at,
    attempt: attempt + off,
    step: 'album',
    result: {},
    messageIds: messages,
    urls: [],
    sending: next,
  })),
  fc.tuple(attemptOff, messageIds).map(([off, messages]): CommandFactory => ({ attempt }, at) => ({
    type: 'MarkPublished',
    ...ids,
    attempt: attempt + off,
    at,
    messageIds: messages,
    urls: [],
    warnings: [],
  })),
  {
    arbitrary: fc
      .tuple(
        attemptOff,
        fc.constantFrom('retry', 'platform_limit', 'needs_attention', 'interrupted'),
        fc.nat(48 * HOUR),
      )
      .map(([off, rule, wait]): CommandFactory => ({ attempt }, at) => ({
        type: 'PostponePublication',
        ...ids,
        attempt: attempt + off,
        at,
        retryAt: at + wait,
        rule,
        error,
      })),
    weight: 4,
  },
  attemptOff.map((off): CommandFactory => ({ attempt }, at) => ({
    type: 'MarkFailed',
    ...ids,
    attempt: attempt + off,
    at,
    error,
  })),
  fc.tuple(attemptOff, fc.option(fc.nat(48 * HOUR))).map(([off, wait]): CommandFactory => ({ attempt }, at) => ({
    type: 'MarkInDoubt',
    ...ids,
    attempt: attempt + off,
    at,
    error,
    resendAt: wait === null ? null : at + wait,
  })),
  fc.constant<CommandFactory>((_, at) => ({ type: 'DismissDuplicate', ...ids, at })),
  fc.constant<CommandFactory>((_, at) => ({
    type: 'FilterPublication',
    ...ids,
    at,
    reason: { code: 'filtered', message: 'Filtered.' },
  })),
  fc.nat(31 * 24 * HOUR).map((wait): CommandFactory => (_, at) => ({
    type: 'HoldPublication',
    ...ids,
    at,
    until: at + wait,
    ownerId: 'own_1',
    ownerRevision: 0,
  })),
  fc
    .constantFrom('ResendPublication', 'DismissPublication')
    .map((type): CommandFactory => (_, at) => ({ type, ...ids, at })),
);
const commandSequences = fc.array(fc.tuple(commandFactories, fc.nat(10 * 60_000)), { minLength: 1, maxLength: 40 });

interface AppliedEvent {
  readonly before: PublicationState;
  readonly event: PublicationEvent;
  readonly after: PublicationState;
}

/** Runs commands, advancing the clock before each; a rejected command has no effect. */
const runCommands = (commands: readonly (readonly [CommandFactory, number])[]): AppliedEvent[] => {
  let state = publication.initial;
  let at = T;
  return commands.flatMap(([createCommand, later]) => {
    at += later;
    const events = publication.decide(createCommand(state, at), state);
    if (isRejection(events)) return [];
    return events.map((event) => {
      const before = state;
      state = publication.evolve(state, event);
      return { before, event, after: state };
    });
  });
};

const property = (check: (events: readonly AppliedEvent[]) => void) => () =>
  fc.assert(
    fc.property(commandSequences, (commands) => check(runCommands(commands))),
    runs,
  );

/** Events that change neither the state nor the attempt. */
const DUPLICATES: ReadonlySet<string> = new Set(['PublicationDuplicateFound', 'PublicationDuplicateDismissed']);

const isEnded = ({ status }: PublicationState) => status !== 'queued' && status !== 'publishing';

describe('a publication, after any sequence of commands', () => {
  it(
    'never has two attempts open (D-20)',
    property((events) => {
      let open: number | null = null;
      for (const { event, after } of events) {
        if (event.type === 'PublicationStarted') {
          expect(open).toBeNull();
          open = event.data.attempt;
        } else if (event.type === 'PublicationStepStarted') {
          expect(event.data.attempt).toBe(open);
        } else if (event.type === 'PublicationStepCompleted') {
          // A late answer may report what readers see (D-84).
          if (event.data.attempt !== open) expect(event.data.messageIds).not.toEqual([]);
        } else if (!DUPLICATES.has(event.type)) {
          open = null;
        }
        expect(after.status === 'publishing').toBe(open !== null);
      }
    }),
  );

  it(
    'numbers its attempts from 1 without gaps',
    property((events) => {
      const attempts = events.flatMap(({ event }) => (event.type === 'PublicationStarted' ? [event.data.attempt] : []));
      expect(attempts).toEqual(attempts.map((_, i) => i + 1));
    }),
  );

  it(
    "leaves a final state only by the owner's decision or by a late success (D-25, D-84)",
    property((events) => {
      for (const { before, event, after } of events) {
        if (!isEnded(before) || DUPLICATES.has(event.type)) continue;
        const late = ['PublicationSucceeded', 'PublicationStepCompleted'];
        const decisions = ['PublicationResent', 'PublicationDismissed'];
        const allowed: Partial<Record<PublicationState['status'], string[]>> = {
          failed: [...decisions, ...late],
          in_doubt: [...decisions, ...late],
          dismissed: late,
          filtered: late,
        };
        expect(allowed[before.status] ?? []).toContain(event.type);
        if (event.type === 'PublicationSucceeded') expect(event.data.attempt).toBeLessThanOrEqual(before.attempt);
        if (event.type === 'PublicationStepCompleted') expect(after.status).toBe(before.status);
        else expect(after.status).not.toBe(before.status);
      }
    }),
  );

  it(
    'is published at most once, and only duplicates follow',
    property((events) => {
      const success = events.findIndex(({ event }) => event.type === 'PublicationSucceeded');
      if (success < 0) return;
      for (const { event, after } of events.slice(success + 1)) {
        expect(DUPLICATES).toContain(event.type);
        expect(after.status).toBe('published');
      }
    }),
  );

  it(
    'counts no message twice (D-84)',
    property((events) => {
      for (const { before, event } of events) {
        if (event.type !== 'PublicationDuplicateFound') continue;
        const known = [...before.messageIds, ...before.duplicateIds];
        expect(event.data.messageIds.some((id) => !known.includes(id))).toBe(true);
      }
    }),
  );

  it(
    'lists the messages of all steps in its success, in order',
    property((events) => {
      for (const { before, event, after } of events) {
        if (event.type !== 'PublicationSucceeded') continue;
        expect(event.data.messageIds.slice(0, before.messageIds.length)).toEqual(before.messageIds);
        expect(after.messageIds).toEqual(event.data.messageIds);
      }
    }),
  );

  it(
    'is postponed at most four times for failed attempts, and never beyond 24 hours and 15 minutes (D-20)',
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
