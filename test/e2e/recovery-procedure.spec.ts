// More than 20 s: gateways work until planned posts are due, twice.
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startSystemPostgres, SYSTEM_POSTGRES } from '../support/system-postgres.js';
import { concurrentE2eTest, type E2eHarness } from './e2e-harness.js';
import { expectRecovered, ON_WALL, readTexts, type Settings, workAfter, workBefore } from './restore-scenario.js';

/** Time until planned posts are due: enough to stop the gateway, back up and start again on a busy machine. */
const DUE_IN_MS = 90_000;

/** Returns the commands that docs/recovery.md gives under a heading. */
const readCommands = async (heading: string): Promise<readonly string[]> => {
  const page = await readFile(join(import.meta.dirname, '../../docs/recovery.md'), 'utf8');
  const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`))!;
  return [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, commands]) => commands!);
};

/** Runs commands as an operator does, in a shell that stops at the first failure. */
const runCommands = async (commands: string, cwd: string, env: Settings): Promise<void> => {
  const path = [SYSTEM_POSTGRES, dirname(process.execPath), process.env.PATH].filter(Boolean).join(':');
  await promisify(execFile)('/bin/sh', ['-euc', commands], { cwd, env: { ...env, PATH: path } });
};

const setUp = async (harness: E2eHarness, settings: Settings) => {
  const telegram = await harness.startTelegram();
  return { telegram, settings: { TELEGRAM_API_URL: telegram.url, MINUTE_MS: '1000', ...settings } };
};

// The embedded PostgreSQL has no pg_dump. `.ci/run` installs Debian's PostgreSQL, which has; elsewhere the test is skipped by name.
const withTools = SYSTEM_POSTGRES ? concurrentE2eTest : (title: string) => it.skip(title, () => undefined);

describe('the procedure of docs/recovery.md', () => {
  withTools('with pg_dump: nothing is published twice, and one call settles what is held', async (harness) => {
    const server = await startSystemPostgres(SYSTEM_POSTGRES!);
    harness.addCleanup(() => server.stop());
    const folder = await harness.createFolder();
    const database = server.url.replace(/postgres$/, 'crosspost');
    const variables = { DATABASE_URL: database, SERVER_URL: server.url };
    const [backUp] = await readCommands('Back up');
    const [restore] = await readCommands('Restore');
    await runCommands('createdb --maintenance-db="$SERVER_URL" crosspost', folder, variables);
    const { telegram, settings } = await setUp(harness, {
      DATABASE_URL: database,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
    let gateway = await harness.startGateway({ ...settings, DATA_DIR: await harness.createFolder() });
    const work = await workBefore(gateway, DUE_IN_MS);
    await runCommands(backUp!, folder, variables);
    await workAfter(gateway, work);
    expect(await readTexts(telegram)).toEqual(ON_WALL);
    await gateway.program.killAll();
    await runCommands('dropdb --force --maintenance-db="$SERVER_URL" crosspost', folder, variables);
    await runCommands(restore!, folder, variables);

    // Another machine.
    const restored = { DATA_DIR: await harness.createFolder(), RESTORED_AT: '2026-11-02T10:00:00Z' };
    gateway = await harness.startGateway({ ...settings, ...restored });
    await expectRecovered(gateway, telegram, work, { noticed_by: 'setting', planned: 3, in_doubt: 4 });
  });

  concurrentE2eTest('with the folder of the embedded PostgreSQL', async (harness) => {
    const DATA_DIR = await harness.createDataDir();
    harness.addCleanup(() => rm(`${DATA_DIR}.lost`, { recursive: true, force: true }));
    const variables = { DATA_DIR, BACKUP: join(await harness.createFolder(), 'backup') };
    const [, backUp] = await readCommands('Back up');
    const [, restore] = await readCommands('Restore');
    const { telegram, settings } = await setUp(harness, { DATA_DIR });
    let gateway = await harness.startGateway(settings);
    const work = await workBefore(gateway, DUE_IN_MS);
    await gateway.program.terminate();
    await runCommands(backUp!, '/', variables);
    gateway = await harness.startGateway(settings);
    await workAfter(gateway, work);
    expect(await readTexts(telegram)).toEqual(ON_WALL);
    await gateway.program.terminate();
    await runCommands(restore!, '/', variables);

    gateway = await harness.startGateway({ ...settings, RESTORED_AT: '2026-11-02T10:00:00Z' });
    await expectRecovered(gateway, telegram, work, { noticed_by: 'setting', planned: 3, in_doubt: 4 });
  });
});
