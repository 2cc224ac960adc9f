import type { ChannelPauseEvent, ProjectPauseEvent } from '../../domain/pause/pause.events.js';
import { type Instant, iso } from '../../kernel/clock.js';
import { assertNever, type RecordedEvent, type ShownAggregate } from '../../kernel/events.js';

/** One pause: its end, and who set it. */
type Pause = {
  readonly paused_until: string;
  /** `temp-pause`, `management`, or `publication` for a pause that a post requested. */
  readonly pause_source: string;
  readonly post_id: string | null;
  readonly paused_at: string;
  readonly paused_by: string;
  readonly ip: string | null;
  readonly request_id: string;
};

/** The pauses of a project or a channel. The members of a pause are null before the first pause and after a resume. */
export type PauseHistory = { readonly [Name in keyof Pause]: Pause[Name] | null } & {
  /** The pause before this one, whether it expired or was extended, replaced or lifted. */
  readonly previous: Pause | null;
  /** Time and author of the last resume. */
  readonly resumed_at: string | null;
  readonly resumed_by: string | null;
  readonly resumed_ip: string | null;
};

/** The history before the first pause. */
export const NEVER_PAUSED: PauseHistory = {
  paused_until: null,
  pause_source: null,
  post_id: null,
  paused_at: null,
  paused_by: null,
  ip: null,
  request_id: null,
  previous: null,
  resumed_at: null,
  resumed_by: null,
  resumed_ip: null,
};

const presentPause = (state: PauseHistory): Pause | null => {
  if (state.paused_until === null) return state.previous;
  const { paused_until, pause_source, post_id, paused_at, paused_by, ip, request_id } = state as Pause;
  return { paused_until, pause_source, post_id, paused_at, paused_by, ip, request_id };
};

/** Applies a pause that was set or extended. */
export const applyPause = (
  state: PauseHistory,
  event: RecordedEvent,
  { until, source, postId }: { readonly until: Instant; readonly source: string; readonly postId: string | null },
): PauseHistory => ({
  ...state,
  paused_until: iso(until),
  pause_source: source,
  post_id: postId,
  paused_at: iso(event.at),
  paused_by: event.actor,
  ip: event.clientAddress,
  request_id: event.requestId,
  previous: presentPause(state),
});

/** Applies a resume. */
export const applyResume = (state: PauseHistory, event: RecordedEvent): PauseHistory => ({
  ...NEVER_PAUSED,
  previous: presentPause(state),
  resumed_at: iso(event.at),
  resumed_by: event.actor,
  resumed_ip: event.clientAddress,
});

/** The history of a channel's pauses. */
export type ChannelPauseHistory = { readonly channel_id: string } & PauseHistory;

/** Folds the pauses of channels. */
export const channelPauseHistory: ShownAggregate<ChannelPauseHistory, ChannelPauseEvent> = {
  name: 'channel-pause',
  category: 'channelPause',
  version: 1,

  evolve(state, event) {
    const { channelId } = event.data;
    const before = state ?? { channel_id: channelId, ...NEVER_PAUSED };
    switch (event.type) {
      case 'ChannelPaused':
        return { ...before, ...applyPause(before, event, event.data) };
      case 'ChannelPauseUnchanged':
        return before;
      case 'ChannelResumed':
        return { ...before, ...applyResume(before, event) };
      default:
        return assertNever(event);
    }
  },
};

/** The history of a project's pauses. */
export type ProjectPauseHistory = { readonly project_id: string } & PauseHistory;

/** Folds the pauses of projects. */
export const projectPauseHistory: ShownAggregate<ProjectPauseHistory, ProjectPauseEvent> = {
  name: 'project-pause',
  category: 'projectPause',
  version: 1,

  evolve(state, event) {
    const { projectId } = event.data;
    const before = state ?? { project_id: projectId, ...NEVER_PAUSED };
    switch (event.type) {
      case 'ProjectPaused':
        return { ...before, ...applyPause(before, event, event.data) };
      case 'ProjectPauseUnchanged':
        return before;
      case 'ProjectResumed':
        return { ...before, ...applyResume(before, event) };
      default:
        return assertNever(event);
    }
  },
};
