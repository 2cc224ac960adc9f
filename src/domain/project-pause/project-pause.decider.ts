import { type Decider, never } from '../../kernel/decider.js';
import {
  asksFirst,
  canResume,
  notPaused,
  type Pause,
  paused,
  pausedUntil,
  type PauseState,
  type Resume,
  resumed,
} from '../pause/pause.js';
import type { ProjectPauseEvent } from './project-pause.events.js';

/** What can be asked of a project’s pause. */
export type ProjectPauseCommand = (Pause | Resume) & { readonly projectId: string };

/** A project's pause: a gate at acceptance (D-21). */
export const projectPause: Decider<ProjectPauseCommand, PauseState, ProjectPauseEvent> = {
  category: 'projectPause',
  initial: notPaused,

  decide(command, state) {
    const { projectId } = command;
    switch (command.type) {
      case 'Pause': {
        const { source, postId } = command;
        const until = pausedUntil(command, state);
        if (until !== null) return [{ type: 'ProjectPaused', data: { projectId, until, source, postId } }];
        if (!asksFirst(postId, state)) return [];
        return [{ type: 'ProjectPauseKept', data: { projectId, until: state.until, postId } }];
      }
      case 'Resume':
        return canResume(command, state) ? [{ type: 'ProjectResumed', data: { projectId, at: command.at } }] : [];
      default:
        return never(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'ProjectPaused':
      case 'ProjectPauseKept':
        return paused(state, event.data.until, event.data.postId);
      case 'ProjectResumed':
        return resumed(state);
      default:
        return never(event);
    }
  },
};
