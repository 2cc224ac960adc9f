import type { ProjectPauseEvent } from '../../domain/project-pause/project-pause.events.js';
import { assertNever } from '../../kernel/decider.js';
import type { HistoryAggregate } from './history-aggregate.js';
import { applyPause, applyResume, NEVER_PAUSED, type PauseHistory } from './pause.js';

/** The history of a project's pauses. */
export type ProjectPauseHistory = { readonly project_id: string } & PauseHistory;

/** Folds the pauses of projects. */
export const projectPauseHistory: HistoryAggregate<ProjectPauseHistory, ProjectPauseEvent> = {
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
