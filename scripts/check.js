/** Runs every static check side by side and prints only what is wrong. Exits 1 when one of them fails. */
import { spawn } from 'node:child_process';

const checks = {
  types: ['tsc', '-p', 'tsconfig.json'],
  lint: ['eslint', '--cache', '--cache-location', 'node_modules/.cache/eslint/', '--max-warnings', '0', '.'],
  format: ['prettier', '--check', '--cache', '--log-level', 'warn', '.'],
  imports: ['depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'err-long', 'src'],
  knip: ['knip', '--no-progress'],
};

const run = ([name, [command, ...args]]) =>
  new Promise((resolve) => {
    const started = Date.now();
    const child = spawn('npx', ['--no-install', command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
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

const results = await Promise.all(Object.entries(checks).map(run));
process.exit(results.every(Boolean) ? 0 : 1);
