/**
 * `npm run dev`: compiles the program, starts it, and restarts it whenever a changed file has been compiled. The
 * project's layout comes from nest-cli.json, so `nest start --watch` does the same where the Nest CLI is installed.
 * This script avoids the CLI's more than a hundred packages. It compiles into its own folder, so that a gateway that
 * was started with `npm start` keeps its files. Further arguments go to the program.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const { entryFile, sourceRoot, compilerOptions } = JSON.parse(readFileSync('nest-cli.json', 'utf8'));
const { outDir: output } = JSON.parse(readFileSync(compilerOptions.tsConfigPath, 'utf8')).compilerOptions;
const program = join(output, 'dist');
const entry = join(program, `${entryFile}.js`);

/** Line that `tsc --watch` prints at the end of each compilation. */
const COMPILED = /Found (\d+) errors?\. Watching for file changes\./;

let gateway = null;
let restarting = Promise.resolve();

const stopGateway = async () => {
  if (!gateway || gateway.exitCode !== null || gateway.signalCode !== null) return;
  const exited = new Promise((resolve) => gateway.once('exit', resolve));
  gateway.kill('SIGTERM'); // it finishes what it is doing, and stops its PostgreSQL
  await exited;
};

const restart = async () => {
  await stopGateway();
  gateway = spawn(process.execPath, ['--enable-source-maps', entry, ...process.argv.slice(2)], { stdio: 'inherit' });
};

// Bundles packages and builds the console. Runs in its own process, because Vite needs another NODE_ENV.
execFileSync(process.execPath, ['scripts/compile.js'], { stdio: 'inherit' });
rmSync(output, { recursive: true, force: true });
cpSync(realpathSync('dist'), program, { recursive: true });
cpSync('package.json', join(output, 'package.json')); // the program reads its version there
symlinkSync(resolve(program), join(output, sourceRoot), 'junction'); // the compiler writes to the sources' folder names
const options = ['-p', compilerOptions.tsConfigPath, '--watch', '--preserveWatchOutput'];
const compiler = spawn(process.execPath, ['node_modules/typescript/bin/tsc', ...options], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
compiler.stdout.setEncoding('utf8').on('data', (text) => {
  process.stdout.write(text);
  const errors = COMPILED.exec(text)?.[1];
  if (errors === '0') restarting = restarting.then(restart);
  else if (errors) console.log('The program is not restarted until the errors are fixed.');
});

const stop = async () => {
  compiler.kill();
  await restarting;
  await stopGateway();
  process.exit(0);
};
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
