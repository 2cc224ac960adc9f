import fc from 'fast-check';
import type { Decider } from '../../kernel/decider.js';
import type { DomainEvent } from '../../kernel/events.js';
import { isRejection } from '../../kernel/result.js';
import { channelPause } from '../channel-pause/channel-pause.decider.js';
import { projectPause } from '../project-pause/project-pause.decider.js';
import { notPaused, type Pause, type PauseState, type Resume } from './pause.js';

const MINUTE = 60_000;
const T = Date.UTC(2025, 2, 14);
const runs = { seed: 21, numRuns: process.env.TEST_LONG ? 20_000 : 500 };

type Command = (Pause | Resume) & { readonly projectId: string; readonly channelId: string };
const ids = { projectId: 'prj_1', channelId: 'tgt_1' };

const moment = fc.integer({ min: T, max: T + 48 * 60 * MINUTE });
const minutes = fc.integer({ min: 1, max: 1_440 });
const pauseBy = (postId: fc.Arbitrary<string | null>): fc.Arbitrary<Pause & Command> =>
  fc.record({ at: moment, minutes, postId }).map(({ at, minutes, postId }) => ({
    type: 'Pause',
    ...ids,
    at,
    minutes,
    minuteMs: MINUTE,
    source: postId === null ? 'temp-pause' : 'publication',
    postId,
  }));
const somePost = fc.constantFrom('post_1', 'post_2', 'post_3');
const anyPause = pauseBy(fc.option(somePost));
const pauseByHand = pauseBy(fc.constant(null));
const anyResume = moment.map((at): Command => ({ type: 'Resume', ...ids, at }));
const anyCommands = fc.array(fc.oneof({ arbitrary: anyPause, weight: 4 }, anyResume), { maxLength: 30 });
/** Pauses in which a post asks always for the same: what one post's publications and repeated deliveries look like at first. */
const pausesOfFaithfulPosts = fc.uniqueArray(anyPause, {
  selector: ({ postId }) => postId ?? {},
  maxLength: 12,
});

interface Ran {
  readonly state: PauseState;
  /** What each command wrote. */
  readonly written: readonly (readonly DomainEvent[])[];
}
const run = <E extends DomainEvent>(
  decider: Decider<Command, PauseState, E>,
  commands: readonly Command[],
  from: PauseState,
): Ran => {
  let state = from;
  const written = commands.map((command) => {
    const events = decider.decide(command, state);
    if (isRejection(events)) throw new Error(events.rejection);
    state = events.reduce((before, event) => decider.evolve(before, event), state);
    return events;
  });
  return { state, written };
};

const endOf = ({ at, minutes, minuteMs }: Pause) => at + minutes * minuteMs;
const isPaused = ({ type }: DomainEvent) => type === 'ProjectPaused' || type === 'ChannelPaused';

describe.each([
  { of: 'a project', after: (c: readonly Command[], from = notPaused) => run(projectPause, c, from) },
  { of: 'a channel', after: (c: readonly Command[], from = notPaused) => run(channelPause, c, from) },
])('the pause of $of, whatever is asked of it', ({ after }) => {
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

  it('ends at the same moment in whatever order the pauses come: at the latest of their ends', () =>
    fc.assert(
      fc.property(
        pausesOfFaithfulPosts.chain((pauses) =>
          fc.tuple(fc.constant(pauses), fc.shuffledSubarray(pauses, { minLength: pauses.length })),
        ),
        ([pauses, shuffled]) => {
          const inOrder = after(pauses).state;
          const otherwise = after(shuffled).state;
          expect(otherwise.until).toBe(inOrder.until);
          expect(inOrder.until).toBe(Math.max(0, ...pauses.map(endOf)));
          expect([...otherwise.postIds].sort()).toEqual([...inOrder.postIds].sort());
        },
      ),
      runs,
    ));

  it('is begun by a post once, by its first command, also after a resume (D-21)', () =>
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

  it('is not there after a resume, and then is exactly the next one that is asked for', () =>
    fc.assert(
      fc.property(anyCommands, moment, fc.nat(MINUTE), pauseByHand, (before, at, later, next) => {
        const lifted = after([...before, { type: 'Resume', ...ids, at }]).state;
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

  it('does not change when what posts have asked for is delivered again, resumes between or not', () =>
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
