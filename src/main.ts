import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { seedDemo } from './app/demo.js';
import { RECOVERY_MESSAGES } from './app/messages.js';
import { BUILT_IN_NETWORKS } from './app/networks.js';
import { noteProcess } from './app/note-process.js';
import type { NoticedLoss } from './app/recovery/log-recovery.js';
import { banner, type Running } from './app/start.js';
import { createLogger, exitAfterLog } from './config/logger.js';
import { SETTING_MESSAGES } from './config/messages.js';
import { describeSettings, helpText, loadSettings, type Settings } from './config/settings.js';

const STOP_MS = 9_000;

// With a large new space (npm start) V8 would collect the old space about once a second under load, whenever it is 10 %
// larger than its live objects. With this flag it collects when the old space is twice as large.
setFlagsFromString('--heap-growing-percent=100');
// V8 allocates objects directly in the old space if it predicts that they will live long. In about a third of
// processes, it mispredicts this for requests that share one response. Moving and marking their short-lived objects
// then costs 10 % of the CPU.
setFlagsFromString('--no-allocation-site-pretenuring');

// Keep running if the reader of stdout closes it (`| head`).
process.stdout.on('error', () => undefined);

const main = async (): Promise<void> => {
  const answer = answerArguments(process.argv.slice(2));
  if (answer !== null) {
    process.stdout.write(`${answer}\n`);
    return;
  }
  noteProcess();
  const settings = loadSettings(process.env, BUILT_IN_NETWORKS.platforms.all);
  const log = createLogger(settings);
  if (isReset(process.argv.slice(2))) {
    const { resetToStore } = await import('./app/recovery/reset-to-store.js');
    process.stdout.write(`${await resetToStore(settings, log)}\n`);
    return;
  }
  const keysFile = readKeysFile(process.argv.slice(2));
  if (keysFile !== undefined) {
    const { restoreContentKeys } = await import('./app/recovery/restore-content-keys.js');
    process.stdout.write(`${await restoreContentKeys(settings, log, keysFile)}\n`);
    return;
  }
  log.info({ settings: listSettings(settings) }, 'settings');
  const stopping = new AbortController();
  let running: Running | null = null;
  const stop = (signal: string) => {
    if (stopping.signal.aborted) return;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_MS).unref();
    stopping.abort();
    void running?.stop().then(() => exitAfterLog(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    // Loading the gateway takes most of the start time, so the arguments and settings are checked first.
    const { start } = await import('./app/start.js');
    running = await start(settings, log, stopping.signal);
    const startAgain = async (loss: NoticedLoss): Promise<void> => {
      if (stopping.signal.aborted) return;
      log.error({}, RECOVERY_MESSAGES.startingAgain);
      const lost = running!;
      running = null;
      await lost.stop();
      running = await start(withPortsOf(lost, settings), log, stopping.signal, {}, loss);
      void running.eventsLost.then(startAgain).catch(endAgain);
    };
    const endAgain = (error: unknown) => (stopping.signal.aborted ? exitAfterLog(0) : exit(error));
    void running.eventsLost.then(startAgain).catch(endAgain);
    const demo = isDemo(settings) ? await seedDemo(running) : null;
    process.stdout.write(banner(running, demo));
    void running.checkHelpers();
  } catch (error) {
    if (stopping.signal.aborted && running) return; // `stop` exits the process once everything is closed
    await running?.stop();
    if (!stopping.signal.aborted) throw error;
    exitAfterLog(0); // `start` has already stopped the parts that had started
  }
};

/** Returns the settings with the ports on which a process has listened, which 0 would choose again. */
const withPortsOf = ({ address, metricsAddress }: Running, settings: Settings): Settings => ({
  ...settings,
  port: Number(new URL(address).port),
  metricsPort: metricsAddress === null ? null : Number(new URL(metricsAddress).port),
});

/** True for the command that makes read models and sagas start over from the event store (ADR-125). */
const isReset = (given: readonly string[]): boolean => given.join(' ') === 'projections reset --to-store';

/** Returns the file of `content-keys import <file>`; null for `content-keys lost`; undefined for other arguments. */
const readKeysFile = ([noun, verb, file, ...rest]: readonly string[]): string | null | undefined => {
  if (noun !== 'content-keys' || rest.length > 0) return undefined;
  if (verb === 'lost' && file === undefined) return null;
  return verb === 'import' ? file : undefined;
};

/**
 * Lists the effective settings as `NAME=value`, with secrets masked. Returns text because the log masks every field
 * with a name that suggests a secret, such as DATABASE_URL, where only the password is secret.
 */
const listSettings = (settings: Settings): readonly string[] =>
  Object.entries(describeSettings(settings, BUILT_IN_NETWORKS.platforms.all)).map(
    ([name, value]) => `${name}=${value}`,
  );

/**
 * Returns the text to print for the arguments; null if there are no arguments or they are a command.
 * @throws Error with a human-readable message for an unknown argument
 */
const answerArguments = (given: readonly string[]): string | null => {
  if (isReset(given) || readKeysFile(given) !== undefined) return null;
  const unknown = given.find((argument) => argument !== '--help' && argument !== '--version');
  if (unknown !== undefined) throw new Error(SETTING_MESSAGES.noArgument({ argument: JSON.stringify(unknown) }));
  if (given.includes('--help')) return helpText(BUILT_IN_NETWORKS.platforms.all);
  return given.includes('--version') ? `crosspost ${readVersion()}` : null;
};

const readVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;

/** True if this process creates the demo: its posts need both the API and a worker. */
const isDemo = ({ demo, roles }: Settings): boolean => demo && roles.has('api') && roles.has('worker');

/** Errors that JavaScript itself throws. They are bugs, so the stack is printed. */
const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Returns the text to print: the message if the environment is at fault, the stack if the program has a bug. */
const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const isBug = error.message === '' || BUGS.some((type) => error instanceof type);
  return isBug ? (error.stack ?? error.name) : error.message;
};

const exit = (error: unknown): void => {
  process.stderr.write(`${describeError(error)}\n`);
  exitAfterLog(1);
};

main().catch(exit);
