import type { Instant } from '../../kernel/instant.js';

/** What a project's and a channel's pause have in common; their streams, events and effects differ (publish-api.md: Project and target pauses). */
export interface Pause {
  readonly type: 'Pause';
  readonly at: Instant;
  /** 1..1440. */
  readonly minutes: number;
  /** Length of a pause-minute, ms (setting MINUTE_MS). */
  readonly minuteMs: number;
  readonly source: 'temp-pause' | 'management' | 'publication';
  /** The post whose publication asks for the pause; it does so once. */
  readonly postId: string | null;
}

/** Lifts a pause before its end. */
export interface Resume {
  readonly type: 'Resume';
  readonly at: Instant;
}

/** A pause as its events leave it. */
export interface PauseState {
  /** End of the pause; 0 before the first and after a resume. */
  readonly until: Instant;
  /** Posts that have asked already, the newest last; enough of them to outlast any repeated delivery. */
  readonly postIds: readonly string[];
}

/** Before the first pause. */
export const notPaused: PauseState = { until: 0, postIds: [] };

const REMEMBERED_POSTS = 1_000;

/** True for a post that has not asked yet, whether its pause moves the end or meets a longer one. */
export const asksFirst = (postId: string | null, state: PauseState): postId is string =>
  postId !== null && !state.postIds.includes(postId);

/** The new end, or null where it does not move: a pause is never shortened, and a post pauses once. */
export const pausedUntil = ({ at, minutes, minuteMs, postId }: Pause, state: PauseState): Instant | null => {
  const until = at + minutes * minuteMs;
  if (postId !== null && !asksFirst(postId, state)) return null;
  return until > state.until ? until : null;
};

/** True where there is a pause to lift. */
export const canResume = ({ at }: Resume, state: PauseState): boolean => state.until > at;

/** Paused until then, remembering the post that asked, if one did. */
export const paused = (state: PauseState, until: Instant, postId: string | null): PauseState => ({
  until,
  postIds: postId === null ? state.postIds : [...state.postIds, postId].slice(-REMEMBERED_POSTS),
});

/** Lifted; who has asked is remembered. */
export const resumed = (state: PauseState): PauseState => ({ ...state, until: 0 });
