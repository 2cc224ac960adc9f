/**
 * Runs before `npm start`: compiles the program, and builds the console if its sources changed. Where the compiler is not
 * installed (`npm prune --omit=dev`, or `npm ci` with NODE_ENV=production), a program and a console that are not older than
 * their sources start as they are; otherwise the start ends with the commands that build them. Packages that were updated since
 * they were bundled load from `node_modules`.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILT, isConsoleCurrent } from './built-console.js';
import { findBundles, removeBundles } from './bundled-packages.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const COMPILER = 'node_modules/@swc/core/package.json';
/** compile.js writes it last. */
const COMPILED = 'dist/.complete';

const newestSource = () => {
  if (!existsSync('src')) return 0; // a release without sources
  const sources = readdirSync('src', { recursive: true }).filter((file) => !/\.(spec|properties)\.ts$/.test(file));
  return Math.max(
    ...sources
      .map((file) => join('src', file))
      .map((file) => statSync(file))
      .filter((file) => file.isFile())
      .map((file) => file.mtimeMs),
  );
};

/** Returns what is missing in dist/, or older than its sources; null if all is there. */
const findMissing = () => {
  if (!existsSync('dist/main.js')) return 'there is no dist/';
  if (!existsSync(COMPILED) || newestSource() > statSync(COMPILED).mtimeMs) return 'dist/ is older than src/';
  if (isConsoleCurrent()) return null;
  return existsSync(BUILT) ? `${BUILT}/ was built from other sources than those in console/` : `there is no ${BUILT}/`;
};

const explainMissingCompiler = () => {
  const state = findMissing();
  if (state === null) return null;
  return `The compiler is not installed, and ${state}. Compile the program once, with the development dependencies:

  npm ci --include=dev && npm run build && npm prune --omit=dev

Then start it with "npm start", or with "node --enable-source-maps --max-semi-space-size=64 dist/main.js".`;
};

if (existsSync(COMPILER)) await import('./compile.js');
else {
  const problem = explainMissingCompiler();
  if (problem !== null) {
    console.error(problem);
    process.exitCode = 1;
  } else if ((await findBundles()) === null) await removeBundles();
}
