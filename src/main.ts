import 'reflect-metadata';
import { createLogger } from './config/logger.js';
import { helpText, loadSettings } from './config/settings.js';
import { banner } from './app/banner.js';
import { start } from './app/start.js';
import { seedDemo } from './app/demo.js';

const STOP_MS = 9_000;

const main = async (): Promise<void> => {
  if (process.argv.includes('--help')) {
    process.stdout.write(helpText());
    return;
  }
  const settings = loadSettings(process.env);
  const log = createLogger(settings);
  let stopping = false;
  let running: Awaited<ReturnType<typeof start>> | null = null;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_MS).unref();
    void (running?.stop() ?? Promise.resolve()).then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  running = await start(settings, log);
  const demo = running.settings.demo && running.settings.roles.has('api') ? await seedDemo(running) : null;
  process.stdout.write(banner(running, demo));
};

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
