/**
 * Runs every static check, as many at once as there are processors, and prints only what is wrong. Exits 1 when one of
 * them fails.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The longest first: nothing is left to wait for at the end. */
const checks = {
  lint: ['eslint', '--cache', '--cache-location', 'node_modules/.cache/eslint/', '--max-warnings', '0', '.'],
  types: ['tsc', '-p', 'tsconfig.json'],
  format: ['prettier', '--check', '--cache', '--log-level', 'warn', '.'],
  imports: ['depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'err-long', 'src'],
  knip: ['knip', '--no-progress'],
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
