import { spec } from '../../../test/support/given-when-then.js';
import { fold } from '../../kernel/events.js';
import { channelPause } from './channel-pause.decider.js';
import type { ChannelPauseEvent } from './channel-pause.events.js';

const MINUTE = 60_000;
const T = Date.UTC(2025, 2, 14, 14, 5, 3);
const channelId = 'tgt_1';

const pause = (minutes: number, at = T, postId: string | null = null) =>
  ({
    type: 'PauseChannel',
    channelId,
    at,
    minutes,
    minuteMs: MINUTE,
    source: postId === null ? 'temp-pause' : 'publication',
    postId,
  }) as const;
const resume = (at: number) => ({ type: 'ResumeChannel', channelId, at }) as const;

const paused = (until: number, postId: string | null = null): ChannelPauseEvent => ({
  type: 'ChannelPaused',
  data: { channelId, until, source: postId === null ? 'temp-pause' : 'publication', postId },
});
const unchanged = (until: number, postId: string): ChannelPauseEvent => ({
  type: 'ChannelPauseUnchanged',
  data: { channelId, until, postId },
});
const resumed = (at: number): ChannelPauseEvent => ({ type: 'ChannelResumed', data: { channelId, at } });

describe("a channel's pause (D-21)", () => {
  it('ends the given minutes after the command; the event holds the end, not the minutes', () =>
    spec(channelPause)
      .given([])
      .when(pause(30))
      .then([paused(T + 30 * MINUTE)]));

  it('records its source', () =>
    spec(channelPause)
      .given([])
      .when({ ...pause(30), source: 'management' })
      .then([
        { type: 'ChannelPaused', data: { channelId, until: T + 30 * MINUTE, source: 'management', postId: null } },
      ]));

  it('uses the configured length of a minute (MINUTE_MS)', () =>
    spec(channelPause)
      .given([])
      .when({ ...pause(30), minuteMs: 100 })
      .then([paused(T + 3_000)]));

  it('is never shortened (publish-api.md: Project and target pauses)', () =>
    spec(channelPause)
      .given([paused(T + 60 * MINUTE)])
      .when(pause(30))
      .then([]));

  it('is extended only if the new end is later, to the millisecond', () => {
    spec(channelPause)
      .given([paused(T + 30 * MINUTE)])
      .when(pause(30))
      .then([]);
    spec(channelPause)
      .given([paused(T + 30 * MINUTE)])
      .when(pause(30, T + 1))
      .then([paused(T + 1 + 30 * MINUTE)]);
  });

  it('can start after an earlier one has ended', () =>
    spec(channelPause)
      .given([paused(T + MINUTE)])
      .when(pause(1, T + 2 * MINUTE))
      .then([paused(T + 3 * MINUTE)]));
});

describe('a post with ad_target_pause_minutes', () => {
  it('pauses only once, however often the command is repeated', () => {
    spec(channelPause)
      .given([])
      .when(pause(30, T, 'post_1'))
      .then([paused(T + 30 * MINUTE, 'post_1')]);
    spec(channelPause)
      .given([paused(T + 30 * MINUTE, 'post_1')])
      .when(pause(30, T + MINUTE, 'post_1'))
      .then([]);
  });

  it('does not pause again after its pause was lifted or has ended', () => {
    spec(channelPause)
      .given([paused(T + 30 * MINUTE, 'post_1'), resumed(T + MINUTE)])
      .when(pause(30, T + 2 * MINUTE, 'post_1'))
      .then([]);
    spec(channelPause)
      .given([paused(T + 30 * MINUTE, 'post_1')])
      .when(pause(30, T + 31 * MINUTE, 'post_1'))
      .then([]);
  });

  it('leaves a longer active pause unchanged, and has then used its request', () =>
    spec(channelPause)
      .given([paused(T + 60 * MINUTE)])
      .when(pause(30, T, 'post_1'))
      .then([unchanged(T + 60 * MINUTE, 'post_1')]));

  it('does not pause again when that longer pause is lifted', () =>
    spec(channelPause)
      .given([paused(T + 60 * MINUTE), unchanged(T + 60 * MINUTE, 'post_1'), resumed(T + MINUTE)])
      .when(pause(30, T + 2 * MINUTE, 'post_1'))
      .then([]));

  it('does not prevent the pause of another post', () =>
    spec(channelPause)
      .given([paused(T + 30 * MINUTE, 'post_1')])
      .when(pause(30, T + MINUTE, 'post_2'))
      .then([paused(T + 31 * MINUTE, 'post_2')]));

  it('is recognised among the last thousand posts that requested a pause', () => {
    const others = Array.from({ length: 1_000 }, (_, n) => paused(T + n, `post_${n}`));
    spec(channelPause)
      .given(others)
      .when(pause(30, T, 'post_0'))
      .then([]);
    expect(fold(channelPause, [...others, paused(T + 1_000, 'post_1000')]).postIds).toHaveLength(1_000);
  });
});

describe("lifting a channel's pause (D-21)", () => {
  it('ends it immediately (publish-api.md: temp-resume)', () =>
    spec(channelPause)
      .given([paused(T + 30 * MINUTE)])
      .when(resume(T + MINUTE))
      .then([resumed(T + MINUTE)]));

  it('does nothing if there is none', () => {
    spec(channelPause).given([]).when(resume(T)).then([]);
    spec(channelPause)
      .given([paused(T + 30 * MINUTE), resumed(T + MINUTE)])
      .when(resume(T + MINUTE))
      .then([]);
  });

  it('does nothing once it has expired: it can be lifted in its last millisecond, not at its end', () => {
    const last = T + 30 * MINUTE - 1;
    spec(channelPause)
      .given([paused(T + 30 * MINUTE)])
      .when(resume(last))
      .then([resumed(last)]);
    spec(channelPause)
      .given([paused(T + 30 * MINUTE)])
      .when(resume(T + 30 * MINUTE))
      .then([]);
  });

  it('allows a shorter one afterwards', () =>
    spec(channelPause)
      .given([paused(T + 60 * MINUTE), resumed(T + MINUTE)])
      .when(pause(5, T + 2 * MINUTE))
      .then([paused(T + 7 * MINUTE)]));
});
