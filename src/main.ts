import 'reflect-metadata';
import { createLogger } from './config/logger.js';
import { helpText, loadSettings, SettingsError } from './config/settings.js';
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

main().catch((error: unknown) => {
  // A person reads this: the sentence where there is one, the stack where something is broken.
  const message =
    error instanceof SettingsError || !(error instanceof Error) ? String(error) : (error.stack ?? error.message);
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
