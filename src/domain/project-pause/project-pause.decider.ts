import { createPauseDecider, type PauseCommand } from '../pause/pause.js';

/** Commands to a project's pause. */
export type ProjectPauseCommand = PauseCommand<'Project', 'projectId'>;

/** A project's pause. It delays the posts that are accepted while it is in force (D-21). */
export const projectPause = createPauseDecider('projectPause', 'Project', 'projectId');
