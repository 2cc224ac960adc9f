import { assertNever, type Decider } from '../../kernel/decider.js';
import {
  applyPause,
  applyResume,
  canResume,
  computePauseEnd,
  isFirstRequest,
  notPaused,
  PAUSE_MEMORY,
  type PauseRequest,
  type PauseState,
  type ResumeRequest,
} from '../pause/pause.js';
import type { ProjectPauseEvent } from './project-pause.events.js';

/** Commands to a project's pause. */
export type ProjectPauseCommand = { readonly projectId: string } & (
  ({ readonly type: 'PauseProject' } & PauseRequest) | ({ readonly type: 'ResumeProject' } & ResumeRequest)
);

/** A project's pause. It delays the posts that are accepted while it is in force (D-21). */
export const projectPause: Decider<ProjectPauseCommand, PauseState, ProjectPauseEvent> = {
  category: 'projectPause',
  initial: notPaused,
  memory: PAUSE_MEMORY,

  decide(command, state) {
    const { projectId } = command;
    switch (command.type) {
      case 'PauseProject': {
        const { source, postId } = command;
        const until = computePauseEnd(command, state);
        if (until !== null) return [{ type: 'ProjectPaused', data: { projectId, until, source, postId } }];
        if (!isFirstRequest(postId, state)) return [];
        return [{ type: 'ProjectPauseUnchanged', data: { projectId, until: state.until, postId } }];
      }
      case 'ResumeProject':
        return canResume(command, state) ? [{ type: 'ProjectResumed', data: { projectId, at: command.at } }] : [];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'ProjectPaused':
      case 'ProjectPauseUnchanged':
        return applyPause(state, event.data.until, event.data.postId);
      case 'ProjectResumed':
        return applyResume(state);
      default:
        return assertNever(event);
    }
  },
};
