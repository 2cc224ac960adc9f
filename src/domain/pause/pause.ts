import type { Instant } from '../../kernel/clock.js';
import type { Decider, DomainEvent } from '../../kernel/events.js';

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

type IdIn<Field extends string> = Readonly<Record<Field, string>>;

/** Pause commands for a target. `Id` is the name of the field that holds the target's id. */
export type PauseCommand<Target extends string, Id extends string> = IdIn<Id> &
  (({ readonly type: `Pause${Target}` } & PauseRequest) | ({ readonly type: `Resume${Target}` } & ResumeRequest));

/**
 * A pause was set or extended. `source`: `temp-pause`, `management`, or `publication` for a pause that a post
 * requested.
 */
export type Paused<Target extends string, Id extends string> = DomainEvent<
  `${Target}Paused`,
  IdIn<Id> & {
    readonly until: Instant;
    readonly source: string;
    readonly postId: string | null;
  }
>;

/** Events in the stream of a target's pause. */
export type PauseEvent<Target extends string, Id extends string> =
  | Paused<Target, Id>
  /**
   * A post requested a pause that would end no later than the current one. The end is unchanged; later requests by the
   * same post are ignored.
   */
  | DomainEvent<`${Target}PauseUnchanged`, IdIn<Id> & { readonly until: Instant; readonly postId: string }>
  /** A pause was lifted before its end. */
  | DomainEvent<`${Target}Resumed`, IdIn<Id> & { readonly at: Instant }>;

/** The state of a pause. */
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

/** Creates the pause decider for channels or for projects. */
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
