import { spec } from '../../../test/support/given-when-then.js';
import { type Decider, type DomainEvent, fold } from '../../kernel/events.js';
import { channelPause, type PauseCommand, type PauseState, projectPause } from './pause.decider.js';

const MINUTE = 60_000;
const T = Date.UTC(2025, 2, 14, 14, 5, 3);

describe.each([
  ['project', 'Project', { projectId: 'prj_1' }, projectPause, 'ad_pause_minutes'],
  ['channel', 'Channel', { channelId: 'tgt_1' }, channelPause, 'ad_target_pause_minutes'],
] as const)('of a %s:', (of, target, id, given, field) => {
  const decider = given as Decider<PauseCommand<string, never>, PauseState, DomainEvent>;
  const pause = (minutes: number, at = T, postId: string | null = null) =>
    ({
      type: `Pause${target}`,
      ...id,
      at,
      minutes,
      minuteMs: MINUTE,
      source: postId === null ? 'temp-pause' : 'publication',
      postId,
    }) as const;
  const resume = (at: number) => ({ type: `Resume${target}`, ...id, at }) as const;

  const paused = (until: number, postId: string | null = null): DomainEvent => ({
    type: `${target}Paused`,
    data: { ...id, until, source: postId === null ? 'temp-pause' : 'publication', postId },
  });
  const unchanged = (until: number, postId: string): DomainEvent => ({
    type: `${target}PauseUnchanged`,
    data: { ...id, until, postId },
  });
  const resumed = (at: number): DomainEvent => ({ type: `${target}Resumed`, data: { ...id, at } });

  describe(`a ${of}'s pause (D-21)`, () => {
    it('ends the given minutes after the command; the event holds the end, not the minutes', () =>
      spec(decider)
        .given([])
        .when(pause(30))
        .then([paused(T + 30 * MINUTE)]));

    it('records its source', () =>
      spec(decider)
        .given([])
        .when({ ...pause(30), source: 'management' })
        .then([
          { type: `${target}Paused`, data: { ...id, until: T + 30 * MINUTE, source: 'management', postId: null } },
        ]));

    it('uses the configured length of a minute (MINUTE_MS)', () =>
      spec(decider)
        .given([])
        .when({ ...pause(30), minuteMs: 100 })
        .then([paused(T + 3_000)]));

    it('is never shortened (publish-api.md: Project and target pauses)', () =>
      spec(decider)
        .given([paused(T + 60 * MINUTE)])
        .when(pause(30))
        .then([]));

    it('is extended only if the new end is later, to the millisecond', () => {
      spec(decider)
        .given([paused(T + 30 * MINUTE)])
        .when(pause(30))
        .then([]);
      spec(decider)
        .given([paused(T + 30 * MINUTE)])
        .when(pause(30, T + 1))
        .then([paused(T + 1 + 30 * MINUTE)]);
    });

    it('can start after an earlier one has ended', () =>
      spec(decider)
        .given([paused(T + MINUTE)])
        .when(pause(1, T + 2 * MINUTE))
        .then([paused(T + 3 * MINUTE)]));
  });

  describe(`a post with ${field}`, () => {
    it('pauses only once, however often the command is repeated', () => {
      spec(decider)
        .given([])
        .when(pause(30, T, 'post_1'))
        .then([paused(T + 30 * MINUTE, 'post_1')]);
      spec(decider)
        .given([paused(T + 30 * MINUTE, 'post_1')])
        .when(pause(30, T + MINUTE, 'post_1'))
        .then([]);
    });

    it('does not pause again after its pause was lifted or has ended', () => {
      spec(decider)
        .given([paused(T + 30 * MINUTE, 'post_1'), resumed(T + MINUTE)])
        .when(pause(30, T + 2 * MINUTE, 'post_1'))
        .then([]);
      spec(decider)
        .given([paused(T + 30 * MINUTE, 'post_1')])
        .when(pause(30, T + 31 * MINUTE, 'post_1'))
        .then([]);
    });

    it('leaves a longer active pause unchanged, and has then used its request', () =>
      spec(decider)
        .given([paused(T + 60 * MINUTE)])
        .when(pause(30, T, 'post_1'))
        .then([unchanged(T + 60 * MINUTE, 'post_1')]));

    it('does not pause again when that longer pause is lifted', () =>
      spec(decider)
        .given([paused(T + 60 * MINUTE), unchanged(T + 60 * MINUTE, 'post_1'), resumed(T + MINUTE)])
        .when(pause(30, T + 2 * MINUTE, 'post_1'))
        .then([]));

    it('does not prevent the pause of another post', () =>
      spec(decider)
        .given([paused(T + 30 * MINUTE, 'post_1')])
        .when(pause(30, T + MINUTE, 'post_2'))
        .then([paused(T + 31 * MINUTE, 'post_2')]));

    it('is recognised among the last thousand posts that requested a pause', () => {
      const others = Array.from({ length: 1_000 }, (_, n) => paused(T + n, `post_${n}`));
      spec(decider)
        .given(others)
        .when(pause(30, T, 'post_0'))
        .then([]);
      expect(fold(decider, [...others, paused(T + 1_000, 'post_1000')]).postIds).toHaveLength(1_000);
    });
  });

  describe(`lifting a ${of}'s pause (D-21)`, () => {
    it('ends it immediately (publish-api.md: temp-resume)', () =>
      spec(decider)
        .given([paused(T + 30 * MINUTE)])
        .when(resume(T + MINUTE))
        .then([resumed(T + MINUTE)]));

    it('does nothing if there is none', () => {
      spec(decider).given([]).when(resume(T)).then([]);
      spec(decider)
        .given([paused(T + 30 * MINUTE), resumed(T + MINUTE)])
        .when(resume(T + MINUTE))
        .then([]);
    });

    it('does nothing once it has expired: it can be lifted in its last millisecond, not at its end', () => {
      const last = T + 30 * MINUTE - 1;
      spec(decider)
        .given([paused(T + 30 * MINUTE)])
        .when(resume(last))
        .then([resumed(last)]);
      spec(decider)
        .given([paused(T + 30 * MINUTE)])
        .when(resume(T + 30 * MINUTE))
        .then([]);
    });

    it('allows a shorter one afterwards', () =>
      spec(decider)
        .given([paused(T + 60 * MINUTE), resumed(T + MINUTE)])
        .when(pause(5, T + 2 * MINUTE))
        .then([paused(T + 7 * MINUTE)]));
  });
});
