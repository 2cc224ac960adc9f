import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Registers this process with the build that it runs, so that later builds keep the files that it may still load
 * (scripts/builds.js). Does nothing if the folder does not exist or the process may not write to it.
 * @param folder where the build registers its processes
 */
export const noteProcess = (folder = fileURLToPath(new URL('../../processes/', import.meta.url))): void => {
  if (!existsSync(folder)) return;
  try {
    writeFileSync(`${folder}/${process.pid}`, '');
  } catch {
    // A read-only installation: its builds are kept for a day after they are replaced.
  }
};
