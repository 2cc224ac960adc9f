import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { createLogger } from './config/logger.js';
import { helpText, loadSettings, type Settings } from './config/settings.js';
import { banner } from './app/banner.js';
import { type Running, start } from './app/start.js';
import { seedDemo } from './app/demo.js';

const STOP_MS = 9_000;

// With a large new space (npm start) V8 would collect the old one about once a second under load, at a tenth more than
// lives in it; this way at twice as much.
setFlagsFromString('--heap-growing-percent=100');
// V8 allocates in the old space what it believes to live long. Of requests that wait together for one answer it believes so
// in every third process, and then each of their objects is moved and marked before it goes: a tenth of the CPU.
setFlagsFromString('--no-allocation-site-pretenuring');

// Whoever read what is said at the start may be gone by now (`| head`): that ends nothing.
process.stdout.on('error', () => undefined);

const main = async (): Promise<void> => {
  const unknown = process.argv.slice(2).find((argument) => argument !== '--help');
  if (unknown !== undefined)
    throw new Error(`There is no argument ${JSON.stringify(unknown)}: --help alone is one, and tells every setting.`);
  if (process.argv.includes('--help')) {
    process.stdout.write(`${helpText()}\n`);
    return;
  }
  const settings = loadSettings(process.env);
  const log = createLogger(settings);
  const stopping = new AbortController();
  let running: Running | null = null;
  const stop = (signal: string) => {
    if (stopping.signal.aborted) return;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_MS).unref();
    stopping.abort();
    void running?.stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    running = await start(settings, log, stopping.signal);
    const demo = isDemo(settings) ? await seedDemo(running) : null;
    process.stdout.write(banner(running, demo));
  } catch (error) {
    if (stopping.signal.aborted && running) return; // `stop` ends the process when all is put away
    await running?.stop();
    if (!stopping.signal.aborted) throw error;
    process.exit(0); // what had been started is stopped
  }
};

/** Whether there is a demo to be set up: its owner's posts need whoever takes them, and whoever puts them on the walls. */
const isDemo = ({ demo, roles }: Settings): boolean => demo && roles.has('api') && roles.has('worker');

/** What JavaScript itself throws: a mistake of ours, whose place matters. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError];

/** For a person: the sentence where the surroundings do not fit, the stack where something is broken. */
const wordsFor = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const isMistake = error.message === '' || MISTAKES.some((mistake) => error instanceof mistake);
  return isMistake ? (error.stack ?? error.name) : error.message;
};

main().catch((error: unknown) => {
  process.stderr.write(`${wordsFor(error)}\n`);
  process.exit(1);
});
