/**
 * Builds the program, unless `dist` already is the build of the current sources and packages: compiles it with SWC,
 * bundles it and its packages (ADR-223, ADR-202), and builds the console. If several processes start at once in one
 * folder, one builds and the others wait for it.
 */
import { fileURLToPath } from 'node:url';
import { needsConsole } from './build-console.js';
import { digestProgram, readStamp, withBuildLock } from './builds.js';
import { areBundlesCurrent } from './bundled-packages.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const isCompiled = () => {
  const [stamp, { sources, tools }] = [readStamp(), digestProgram()];
  return stamp?.sources === sources && stamp.tools === tools;
};
const isCurrent = async () => isCompiled() && (await areBundlesCurrent()) && !needsConsole();

if (!(await isCurrent()))
  await withBuildLock(async () => {
    if (await isCurrent()) return; // another process has built it in the meantime
    const { makeBuild } = await import('./make-build.js'); // loads the compilers
    do await makeBuild();
    while (!isCompiled()); // a source changed during the build
  });
