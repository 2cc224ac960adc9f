import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with the program's files, but without the compiler: `npm prune --omit=dev` leaves such a one. */
const createInstallation = (
  files: Readonly<Record<string, number>>,
  texts: Readonly<Record<string, string>> = {},
): string => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspost-prestart-'));
  folders.push(folder);
  for (const [name, seconds] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, texts[name] ?? '');
    utimesSync(file, seconds, seconds);
  }
  for (const script of ['scripts/prestart.js', 'scripts/bundled-packages.js']) cpSync(script, join(folder, script));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  return folder;
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const prestart = (folder: string): { status: number | null; stderr: string } => {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/prestart.js')], { encoding: 'utf8' });
  return { status, stderr };
};

describe('npm start without the compiler', () => {
  const dist = { 'dist/main.js': 200, 'dist/.complete': 200 };

  it('starts the compiled program if no source is newer, or there are none', () => {
    expect(prestart(createInstallation({ ...dist, 'src/main.ts': 100, 'src/a/b.spec.ts': 300 }))).toEqual({
      status: 0,
      stderr: '',
    });
    expect(prestart(createInstallation(dist))).toEqual({ status: 0, stderr: '' });
  });

  it('ends with the commands that compile it if there is none, or a source is newer', () => {
    for (const [files, state] of [
      [{ 'src/main.ts': 100 }, 'there is no dist/'],
      [{ ...dist, 'src/a/b.ts': 300 }, 'dist/ is older than src/'],
    ] as const) {
      const { status, stderr } = prestart(createInstallation(files));
      expect(status).toBe(1);
      expect(stderr).toContain(`The compiler is not installed, and ${state}.`);
      expect(stderr).toContain('npm ci --include=dev && npm run build && npm prune --omit=dev');
    }
  });
});

describe('bundled packages without the compiler', () => {
  const bundle = 'dist/node_modules/a/index.js';
  const record = 'dist/node_modules/.packages.json';
  const dist = { 'dist/main.js': 200, 'dist/.complete': 200, [bundle]: 200, 'node_modules/a/package.json': 100 };

  it('are removed if another version of a package is installed, or if they are incomplete', () => {
    const installed = { 'node_modules/a/package.json': '{"version": "1.0.1"}' };
    for (const [files, texts, isKept] of [
      [{ ...dist, [record]: 200 }, { [record]: '{"script": "s", "versions": {"node_modules/a": "1.0.1"}}' }, true],
      [{ ...dist, [record]: 200 }, { [record]: '{"script": "s", "versions": {"node_modules/a": "1.0.0"}}' }, false],
      [dist, {}, false],
    ] as const) {
      const folder = createInstallation(files, { ...installed, ...texts });
      expect(prestart(folder)).toEqual({ status: 0, stderr: '' });
      expect([texts, existsSync(join(folder, bundle))]).toEqual([texts, isKept]);
    }
  });
});

describe('the deployment files', () => {
  it('start the program with the flags of npm start', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    for (const file of ['deploy/crosspost.service', 'docs/deployment.md', 'scripts/prestart.js'])
      expect([file, readFileSync(file, 'utf8').includes(scripts.start!)]).toEqual([file, true]);
    const [, command] = /^CMD (\[.*\])$/m.exec(readFileSync('Dockerfile', 'utf8'))!;
    expect((JSON.parse(command!) as string[]).join(' ')).toBe(scripts.start);
  });
});
