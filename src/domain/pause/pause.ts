import type { Instant } from '../../kernel/instant.js';

/** A request to pause a project or a channel (publish-api.md: Project and target pauses). */
export interface PauseRequest {
  readonly at: Instant;
  /** 1..1440. */
  readonly minutes: number;
  /** Length of a pause minute, in ms (setting MINUTE_MS). */
  readonly minuteMs: number;
  readonly source: 'temp-pause' | 'management' | 'publication';
  /** The post whose publication requests the pause; only its first request counts. Null for other sources. */
  readonly postId: string | null;
}

/** A request to lift a pause before its end. */
export interface ResumeRequest {
  readonly at: Instant;
}

/** The state of a pause. */
export interface PauseState {
  /** End of the pause; 0 before the first and after a resume. */
  readonly until: Instant;
  /**
   * The posts of the last {@link PAUSE_MEMORY} events, newest last; null for an event without a post. Enough to
   * recognise a repeated request.
   */
  readonly postIds: readonly (string | null)[];
}

/** The state before the first pause. */
export const notPaused: PauseState = { until: 0, postIds: [] };

/**
 * Number of events after which a pause forgets a post (ADR-97). A post repeats its request only after a crash between
 * the pause and the end of its publication, and fewer posts than this are being published at any time.
 */
export const PAUSE_MEMORY = 1_000;

/** True if the post has not requested this pause before. A request that did not change the end counts too. */
export const isFirstRequest = (postId: string | null, state: PauseState): postId is string =>
  postId !== null && !state.postIds.includes(postId);

/** Computes the new end; null if it does not change: pauses are never shortened, and a post pauses only once. */
export const computePauseEnd = ({ at, minutes, minuteMs, postId }: PauseRequest, state: PauseState): Instant | null => {
  const until = at + minutes * minuteMs;
  if (postId !== null && !isFirstRequest(postId, state)) return null;
  return until > state.until ? until : null;
};

/** True if a pause is in force and can be lifted. */
export const canResume = ({ at }: ResumeRequest, state: PauseState): boolean => state.until > at;

/** Sets the end of the pause, and adds the post that requested it, if any. */
export const applyPause = (state: PauseState, until: Instant, postId: string | null): PauseState => ({
  until,
  postIds: [...state.postIds.slice(-PAUSE_MEMORY + 1), postId],
});

/** Lifts the pause, but keeps the posts that have requested one. */
export const applyResume = (state: PauseState): PauseState => applyPause(state, 0, null);
