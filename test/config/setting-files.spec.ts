import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLineSettings } from '../../src/config/command-line.js';
import {
  describeSettings,
  helpText,
  loadSettings,
  type Settings,
  type SettingsError,
} from '../../src/config/settings.js';
import { PLATFORMS } from '../../src/platforms/catalogue.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const VALUES = {
  DATABASE_URL: 'postgres://me:hunter2@h/db',
  EVENT_STORE_URL: 'kurrentdb://me:hunter2@h:2113',
  OPERATOR_KEY: 'hunter2_operator',
  SECRETS_KEY: KEY,
  SECRETS_KEY_PREVIOUS: Buffer.alloc(32, 8).toString('base64'),
  METRICS_KEY: 'hunter2_metrics',
  HISTORY_KEY: Buffer.alloc(32, 9).toString('base64'),
} as const;

const load = (env: Readonly<Record<string, string>>): Settings => loadSettings(env, PLATFORMS.all);

const problemsOf = (env: Readonly<Record<string, string>>): readonly string[] => {
  try {
    load(env);
    return [];
  } catch (error) {
    return (error as SettingsError).problems;
  }
};

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'crosspost-setting-files-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const write = async (name: string, text: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};

describe('secrets in files', () => {
  it.each(['', '\n', '\r\n'])('are the settings, without the line break at the end (%j)', async (end) => {
    const env: Record<string, string> = {};
    for (const [name, value] of Object.entries(VALUES)) env[`${name}_FILE`] = await write(name, value + end);
    expect(load(env)).toEqual(load(VALUES));
    expect(JSON.stringify(describeSettings(load(env), PLATFORMS.all))).not.toContain('hunter2');
  });

  it('are those that --help names', async () => {
    const named = [...helpText(PLATFORMS.all).matchAll(/([A-Z0-9_]+)_FILE/g)].map(([, name]) => name);
    expect(named.filter((name) => name !== 'NAME').sort()).toEqual(
      [...Object.keys(VALUES), 'MEDIA_S3_ACCESS_KEY_ID', 'MEDIA_S3_SECRET_ACCESS_KEY'].sort(),
    );
  });

  it('are refused beside the setting itself, but not beside an empty one', async () => {
    const path = await write('both', 'one');
    expect(problemsOf({ OPERATOR_KEY: 'two', OPERATOR_KEY_FILE: path })).toEqual([
      'OPERATOR_KEY and OPERATOR_KEY_FILE are both set: remove one of them',
    ]);
    expect(load({ OPERATOR_KEY: '', OPERATOR_KEY_FILE: path }).operatorKey).toBe('one');
    expect(load({ OPERATOR_KEY: 'two', OPERATOR_KEY_FILE: '' }).operatorKey).toBe('two');
  });

  it('are refused if a file is missing, unreadable or empty, with its path', async () => {
    const missing = join(folder, 'missing');
    const empty = await write('empty', ' \n');
    expect(problemsOf({ METRICS_KEY_FILE: missing, OPERATOR_KEY_FILE: folder, SECRETS_KEY_FILE: empty })).toEqual([
      `OPERATOR_KEY_FILE points at ${folder}, which cannot be read (EISDIR)`,
      `SECRETS_KEY_FILE points at ${empty}, which is empty`,
      `METRICS_KEY_FILE points at ${missing}, which cannot be read (ENOENT)`,
    ]);
  });

  it('are judged as the setting is, masked, with the path', async () => {
    const path = await write('wrong', 'hunter2 hunter2');
    expect(problemsOf({ SECRETS_KEY_FILE: path, DATABASE_URL_FILE: path })).toEqual([
      expect.stringMatching(`^DATABASE_URL \\(from ${path}\\) must be .*; got "\\*{8}"$`),
      expect.stringMatching(`^SECRETS_KEY \\(from ${path}\\) must be 32 bytes .*; got "\\*{8}"$`),
    ]);
  });

  it('give no value to settings that are no secrets', async () => {
    expect(load({ PORT_FILE: join(folder, 'missing') }).port).toBe(3000);
  });

  it('give the command line its key', async () => {
    const path = await write('operator', 'service_operator_x\n');
    expect(readCommandLineSettings({ OPERATOR_KEY_FILE: path }).key).toBe('service_operator_x');
    expect(readCommandLineSettings({ OPERATOR_KEY_FILE: path, CROSSPOST_KEY: 'k' }).key).toBe('k');
    expect(readCommandLineSettings({ OPERATOR_KEY_FILE: join(folder, 'missing'), DATA_DIR: folder }).key).toBeNull();
  });
});
