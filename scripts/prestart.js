/**
 * Runs before `npm start`: builds the program if its sources changed. If the compiler is not installed (`npm prune
 * --omit=dev`, or `npm ci` with NODE_ENV=production), a build of the current sources starts unchanged; otherwise the
 * start fails and names the commands that make a build. Packages that were updated since they were bundled are loaded
 * from `node_modules`.
 */
import { existsSync } from 'node:fs';
import { cp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBuild, CURRENT, digestProgram, isLinked, listSources, readStamp, withBuildLock } from './builds.js';
import { BUILT, isConsoleCurrent } from './built-console.js';
import { BUNDLES, findBundles } from './bundled-packages.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const COMPILER = 'node_modules/@swc/core/package.json';

/** Returns what is missing from dist/ or was built from other sources; null if it is complete and current. */
const findMissing = () => {
  if (!existsSync(join(CURRENT, 'main.js'))) return 'there is no dist/';
  const stamp = readStamp();
  if (stamp === null) return 'dist/ is incomplete';
  if (listSources().length > 0 && stamp.sources !== digestProgram().sources)
    return 'dist/ was built from other sources than those in src/';
  if (isConsoleCurrent()) return null;
  return existsSync(BUILT) ? `${BUILT}/ was built from other sources than those in console/` : `there is no ${BUILT}/`;
};

const explainMissingCompiler = () => {
  const state = findMissing();
  if (state === null) return null;
  return `The compiler is not installed, and ${state}. Compile the program once, with the development dependencies:

  npm ci --include=dev && npm run build && npm prune --omit=dev

Then start it with "npm start", or with "node --enable-source-maps --min-semi-space-size=4 --max-semi-space-size=64 dist/main.js".`;
};

/** Makes all packages load from `node_modules`. A copied release, whose `dist` is a folder, is changed in place. */
const removeBundles = async () => {
  const bundles = join(CURRENT, BUNDLES);
  if (!existsSync(bundles)) return;
  if (!(await isLinked())) return rm(bundles, { recursive: true, force: true });
  await withBuildLock(async () => {
    if ((await findBundles()) !== null || !existsSync(bundles)) return; // another process was first
    const current = await realpath(CURRENT);
    const filter = (file) => file !== join(current, BUNDLES);
    await createBuild((folder) => cp(current, folder, { recursive: true, filter }), readStamp());
  });
};

if (existsSync(COMPILER)) await import('./compile.js');
else {
  const problem = explainMissingCompiler();
  if (problem !== null) {
    console.error(problem);
    process.exitCode = 1;
  } else if ((await findBundles()) === null) await removeBundles();
}
