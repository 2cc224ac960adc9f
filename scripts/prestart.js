/**
 * Runs before `npm start`: compiles the program. Where the compiler is not installed (`npm prune --omit=dev`, or `npm ci` with
 * NODE_ENV=production), a compiled program that is not older than its sources starts as it is; otherwise the start ends with
 * the commands that compile it. Packages that were updated since they were bundled load from `node_modules`.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

const explainMissingCompiler = () => {
  if (existsSync('dist/main.js') && existsSync(COMPILED) && newestSource() <= statSync(COMPILED).mtimeMs) return null;
  const state = existsSync('dist/main.js') ? 'dist/ is older than src/' : 'there is no dist/';
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
