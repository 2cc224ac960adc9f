import type { Catalogue } from '../../kernel/events.js';
import type { PauseEvent } from '../pause/pause.js';

/** Events in a project pause's stream. */
export type ProjectPauseEvent = PauseEvent<'Project', 'projectId'>;

export const projectPauseEvents = {
  ProjectPaused: { version: 1 },
  ProjectPauseUnchanged: { version: 1 },
  ProjectResumed: { version: 1 },
} satisfies Catalogue & Record<ProjectPauseEvent['type'], unknown>;
