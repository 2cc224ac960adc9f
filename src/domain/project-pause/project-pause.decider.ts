import { createPauseDecider, type PauseCommand } from '../pause/pause.js';

/** Project pause commands. */
export type ProjectPauseCommand = PauseCommand<'Project', 'projectId'>;

/** A project's pause. Delays the posts that are accepted while it is in effect (D-21). */
export const projectPause = createPauseDecider('projectPause', 'Project', 'projectId');
