import type { Instant } from '../../kernel/clock.js';
import type { Decider } from '../../kernel/events.js';
import type { IdIn, PauseEvent } from './pause.events.js';

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

/** Pause commands for a target. `Id` is the name of the field that holds the target's id. */
export type PauseCommand<Target extends string, Id extends string> = IdIn<Id> &
  (({ readonly type: `Pause${Target}` } & PauseRequest) | ({ readonly type: `Resume${Target}` } & ResumeRequest));

export interface PauseState {
  /** End of the pause; 0 before the first pause and after a resume. */
  readonly until: Instant;
  /**
   * Ids of the posts that requested the last {@link PAUSE_MEMORY} events, newest last; null for an event without a
   * post. Used to recognise repeated requests.
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

export const createPauseDecider = <Target extends 'Channel' | 'Project', Id extends string>(
  category: string,
  target: Target,
  idField: Id,
): Decider<PauseCommand<Target, Id>, PauseState, PauseEvent<Target, Id>> => ({
  category,
  initial: notPaused,
  memory: PAUSE_MEMORY,

  decide(command, state) {
    const id = { [idField]: command[idField] } as unknown as IdIn<Id>;
    const { at } = command;
    const isResume = !('minutes' in command);
    if (isResume) return state.until > at ? [{ type: `${target}Resumed`, data: { ...id, at } }] : [];
    const { source, postId, minutes, minuteMs } = command;
    // A post pauses a target only once.
    if (postId !== null && state.postIds.includes(postId)) return [];
    const until = at + minutes * minuteMs;
    if (until > state.until) return [{ type: `${target}Paused`, data: { ...id, until, source, postId } }];
    if (postId === null) return [];
    return [{ type: `${target}PauseUnchanged`, data: { ...id, until: state.until, postId } }];
  },

  evolve: ({ postIds }, { data }) => {
    const { until, postId } = 'until' in data ? data : { until: 0, postId: null };
    return { until, postIds: [...postIds.slice(-PAUSE_MEMORY + 1), postId] };
  },
});

export type ChannelPauseCommand = PauseCommand<'Channel', 'channelId'>;

/** A channel's pause. It delays every publication on the channel, in all projects that use it (D-21). */
export const channelPause = createPauseDecider('channelPause', 'Channel', 'channelId');

export type ProjectPauseCommand = PauseCommand<'Project', 'projectId'>;

/** A project's pause. Delays the posts that are accepted while it is in effect (D-21). */
export const projectPause = createPauseDecider('projectPause', 'Project', 'projectId');
