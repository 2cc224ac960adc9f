import fc from 'fast-check';
import type { Decider, DomainEvent } from '../../kernel/events.js';
import { isRejection } from '../../kernel/result.js';
import {
  channelPause,
  type ChannelPauseCommand,
  notPaused,
  type PauseRequest,
  type PauseState,
  projectPause,
  type ProjectPauseCommand,
  type ResumeRequest,
} from './pause.decider.js';

const MINUTE = 60_000;
const T = Date.UTC(2025, 2, 14);
const runs = { seed: 21, numRuns: process.env.TEST_LONG ? 20_000 : 500 };

type Pause = { readonly type: 'Pause' } & PauseRequest;
type Command = Pause | ({ readonly type: 'Resume' } & ResumeRequest);
const toProjectCommand = ({ type, ...request }: Command): ProjectPauseCommand =>
  ({ type: `${type}Project`, ...request, projectId: 'prj_1' }) as ProjectPauseCommand;
const toChannelCommand = ({ type, ...request }: Command): ChannelPauseCommand =>
  ({ type: `${type}Channel`, ...request, channelId: 'tgt_1' }) as ChannelPauseCommand;

const moment = fc.integer({ min: T, max: T + 48 * 60 * MINUTE });
const minutes = fc.integer({ min: 1, max: 1_440 });
const pauseBy = (postId: fc.Arbitrary<string | null>): fc.Arbitrary<Pause> =>
  fc.record({ at: moment, minutes, postId }).map(({ at, minutes, postId }) => ({
    type: 'Pause',
    at,
    minutes,
    minuteMs: MINUTE,
    source: postId === null ? 'temp-pause' : 'publication',
    postId,
  }));
const somePost = fc.constantFrom('post_1', 'post_2', 'post_3');
const anyPause = pauseBy(fc.option(somePost));
const pauseByHand = pauseBy(fc.constant(null));
const anyResume = moment.map((at): Command => ({ type: 'Resume', at }));
const anyCommands = fc.array(fc.oneof({ arbitrary: anyPause, weight: 4 }, anyResume), { maxLength: 30 });
/** Pauses with at most one request per post, so that no post requests two different ends. */
const pausesWithOneRequestPerPost = fc.uniqueArray(anyPause, {
  selector: ({ postId }) => postId ?? {},
  maxLength: 12,
});

interface RunResult {
  readonly state: PauseState;
  /** The events of each command, in the order of the commands. */
  readonly written: readonly (readonly DomainEvent[])[];
}
const runCommands = <C, E extends DomainEvent>(
  decider: Decider<C, PauseState, E>,
  commands: readonly C[],
  from: PauseState,
): RunResult => {
  let state = from;
  const written = commands.map((command) => {
    const events = decider.decide(command, state);
    if (isRejection(events)) throw new Error(events.rejection);
    state = events.reduce((before, event) => decider.evolve(before, event), state);
    return events;
  });
  return { state, written };
};

const endOf = ({ at, minutes, minuteMs }: PauseRequest) => at + minutes * minuteMs;
const isPaused = ({ type }: DomainEvent) => type === 'ProjectPaused' || type === 'ChannelPaused';

describe.each([
  {
    of: 'a project',
    after: (c: readonly Command[], from = notPaused) => runCommands(projectPause, c.map(toProjectCommand), from),
  },
  {
    of: 'a channel',
    after: (c: readonly Command[], from = notPaused) => runCommands(channelPause, c.map(toChannelCommand), from),
  },
])('the pause of $of, after any sequence of commands', ({ after }) => {
  it('is never shortened by any sequence of pauses (publish-api.md: Project and target pauses)', () =>
    fc.assert(
      fc.property(anyCommands, fc.array(anyPause, { maxLength: 30 }), (before, pauses) => {
        let { state } = after(before);
        for (const pause of pauses) {
          const next = after([pause], state).state;
          expect(next.until).toBeGreaterThanOrEqual(state.until);
          state = next;
        }
      }),
      runs,
    ));

  it('ends at the latest of the requested ends, in any order of the requests', () =>
    fc.assert(
      fc.property(
        pausesWithOneRequestPerPost.chain((pauses) =>
          fc.tuple(fc.constant(pauses), fc.shuffledSubarray(pauses, { minLength: pauses.length })),
        ),
        ([pauses, shuffled]) => {
          const inOrder = after(pauses).state;
          const otherwise = after(shuffled).state;
          expect(otherwise.until).toBe(inOrder.until);
          expect(inOrder.until).toBe(Math.max(0, ...pauses.map(endOf)));
          const postsIn = ({ postIds }: PauseState) => postIds.filter((postId) => postId !== null).sort();
          expect(postsIn(otherwise)).toEqual(postsIn(inOrder));
        },
      ),
      runs,
    ));

  it('is started by a post only once, by its first request, even after a resume (D-21)', () =>
    fc.assert(
      fc.property(anyCommands, (commands) => {
        const seen = new Set<string>();
        after(commands).written.forEach((events, i) => {
          const command = commands[i]!;
          if (command.type !== 'Pause' || command.postId === null) return;
          expect(events).toHaveLength(seen.has(command.postId) ? 0 : 1);
          seen.add(command.postId);
        });
      }),
      runs,
    ));

  it('is over after a resume, and the next request sets its end exactly', () =>
    fc.assert(
      fc.property(anyCommands, moment, fc.nat(MINUTE), pauseByHand, (before, at, later, next) => {
        const lifted = after([...before, { type: 'Resume', at }]).state;
        expect(lifted.until).toBeLessThanOrEqual(at);
        const pause = { ...next, at: at + later };
        const { state, written } = after([pause], lifted);
        expect(state.until).toBe(endOf(pause));
        expect(written[0]!.filter(isPaused)).toHaveLength(1);
      }),
      runs,
    ));

  it('does not change when a list of pauses is replayed', () =>
    fc.assert(
      fc.property(anyCommands, fc.array(anyPause, { maxLength: 30 }), (before, pauses) => {
        const once = after(pauses, after(before).state).state;
        const twice = after(pauses, once);
        expect(twice.written.flat()).toEqual([]);
        expect(twice.state).toEqual(once);
      }),
      runs,
    ));

  it('does not change when requests of posts are delivered again, with or without resumes between them', () =>
    fc.assert(
      fc.property(anyCommands, (commands) => {
        const once = after(commands).state;
        const ofPosts = commands.filter((command) => command.type === 'Pause' && command.postId !== null);
        const again = after(ofPosts, once);
        expect(again.written.flat()).toEqual([]);
        expect(again.state).toEqual(once);
      }),
      runs,
    ));
});
