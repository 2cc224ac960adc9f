/**
 * Runs all static checks, as many at once as there are processors, and prints the output of those that fail. Exits
 * with 1 if any fails.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Checks by name, longest first, so that none runs alone at the end. */
const checks = {
  lint: ['eslint', '--cache', '--cache-location', 'node_modules/.cache/eslint/', '--max-warnings', '0', '.'],
  types: ['tsc', '-p', 'tsconfig.json'],
  client: [
    'tsc',
    '-p',
    'clients/typescript',
    '--noEmit',
    '--tsBuildInfoFile',
    'node_modules/.cache/tsc/client.tsbuildinfo',
  ],
  console: ['tsc', '-p', 'console'],
  format: ['prettier', '--check', '--cache', '--log-level', 'warn', '.'],
  imports: [
    'depcruise',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'err-long',
    'src',
    'stand-ins',
    'clients/typescript/src',
    'console/src',
  ],
  knip: ['knip', '--no-progress'],
  prose: ['../../scripts/check-prose.js'],
};

const run = ([name, [command, ...args]]) =>
  new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(process.execPath, [`node_modules/.bin/${command}`, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
      if (code !== 0) console.log(output);
      resolve(code === 0);
    });
  });

const waiting = Object.entries(checks);
const results = [];
const worker = async () => {
  for (let next; (next = waiting.shift());) results.push(await run(next));
};
await Promise.all(Array.from({ length: availableParallelism() }, worker));
process.exit(results.every(Boolean) ? 0 : 1);
