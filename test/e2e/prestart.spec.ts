import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Creates a folder with the program's files but without the compiler, as `npm prune --omit=dev` leaves it. */
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
  for (const script of ['prestart.js', 'bundled-packages.js', 'built-console.js', 'builds.js'])
    cpSync(join('scripts', script), join(folder, 'scripts', script));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  return folder;
};

/** Runs a statement that uses these imports in an installation. */
const runIn = (folder: string, imports: string, statement: string): void => {
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `${imports}; ${statement};`], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
};

/** Stamps the program of an installation as built from its present sources. */
const stampProgram = (folder: string): string => {
  runIn(
    folder,
    "import { writeFileSync } from 'node:fs'; import { digestProgram } from './scripts/builds.js'",
    "writeFileSync('dist/.complete', JSON.stringify(digestProgram()))",
  );
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
  const dist = { 'dist/main.js': 200, 'src/main.ts': 100 };

  it('starts the compiled program if no source has changed, or there are none', () => {
    const folder = stampProgram(createInstallation(dist));
    utimesSync(join(folder, 'src/main.ts'), 300, 300); // a new time, but the same content
    writeFileSync(join(folder, 'src/main.spec.ts'), 'changed');
    expect(prestart(folder)).toEqual({ status: 0, stderr: '' });
    rmSync(join(folder, 'src'), { recursive: true });
    expect(prestart(folder)).toEqual({ status: 0, stderr: '' });
  });

  it('ends with the commands that compile it if there is none, or a source has changed', () => {
    const changed = stampProgram(createInstallation(dist));
    writeFileSync(join(changed, 'src/main.ts'), 'changed');
    for (const [folder, state] of [
      [createInstallation({ 'src/main.ts': 100 }), 'there is no dist/'],
      [createInstallation(dist), 'dist/ is incomplete'],
      [changed, 'dist/ was built from other sources than those in src/'],
    ] as const) {
      const { status, stderr } = prestart(folder);
      expect(status).toBe(1);
      expect(stderr).toContain(`The compiler is not installed, and ${state}.`);
      expect(stderr).toContain('npm ci --include=dev && npm run build && npm prune --omit=dev');
    }
  });
});

describe('the console without the compiler', () => {
  const dist = { 'dist/main.js': 200 };
  const sources = { ...dist, 'console/src/main.tsx': 100, 'shared/colours.ts': 100 };

  /** Stamps the console of an installation as built from its present sources. */
  const stampConsole = (folder: string): void => {
    mkdirSync(join(folder, 'dist/console'), { recursive: true });
    runIn(
      folder,
      "import { digestSources, stampBuild } from './scripts/built-console.js'",
      "stampBuild('dist/console', digestSources(), [process.cwd() + '/shared/colours.ts'])",
    );
  };

  it('starts as it is if it was built from the present sources, or if there are none', () => {
    const folder = stampProgram(createInstallation(sources));
    stampConsole(folder);
    utimesSync(join(folder, 'console/src/main.tsx'), 300, 300); // a new time, but the same content
    expect(prestart(folder)).toEqual({ status: 0, stderr: '' });
    rmSync(join(folder, 'console'), { recursive: true });
    expect(prestart(folder)).toEqual({ status: 0, stderr: '' });
  });

  it('ends with the commands that build it if there is none, or a source has changed', () => {
    expect(prestart(stampProgram(createInstallation(sources)))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The compiler is not installed, and there is no dist/console/.'),
    });
    for (const [file, text] of [
      ['console/src/main.tsx', 'changed'],
      ['console/public/new.svg', '<svg/>'],
      ['shared/colours.ts', 'changed'],
    ] as const) {
      const folder = stampProgram(createInstallation(sources));
      stampConsole(folder);
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
      expect([file, prestart(folder)]).toEqual([
        file,
        {
          status: 1,
          stderr: expect.stringContaining('dist/console/ was built from other sources than those in console/.'),
        },
      ]);
    }
  });
});

describe('bundled packages without the compiler', () => {
  const bundle = 'dist/node_modules/a/index.js';
  const record = 'dist/node_modules/.packages.json';
  const dist = { 'dist/main.js': 200, [bundle]: 200, 'node_modules/a/package.json': 100 };

  it('are removed if another version of a package is installed, or if they are incomplete', () => {
    const installed = { 'node_modules/a/package.json': '{"version": "1.0.1"}' };
    for (const [files, texts, isKept] of [
      [{ ...dist, [record]: 200 }, { [record]: '{"script": "s", "versions": {"node_modules/a": "1.0.1"}}' }, true],
      [{ ...dist, [record]: 200 }, { [record]: '{"script": "s", "versions": {"node_modules/a": "1.0.0"}}' }, false],
      [dist, {}, false],
    ] as const) {
      const folder = stampProgram(createInstallation(files, { ...installed, ...texts }));
      expect(prestart(folder)).toEqual({ status: 0, stderr: '' });
      expect([texts, existsSync(join(folder, bundle))]).toEqual([texts, isKept]);
    }
  });

  it('are left out of the new build but stay in the old one, which a running process may be using', () => {
    const folder = stampProgram(createInstallation(dist));
    const built = join(folder, '.builds/first/dist');
    mkdirSync(dirname(built), { recursive: true });
    renameSync(join(folder, 'dist'), built);
    symlinkSync('.builds/first/dist', join(folder, 'dist'));
    expect(prestart(folder)).toEqual({ status: 0, stderr: '' });
    const has = (file: string) => existsSync(join(folder, file));
    expect(['dist/main.js', bundle, `.builds/first/${bundle}`].map(has)).toEqual([true, false, true]);
    expect(prestart(folder)).toEqual({ status: 0, stderr: '' });
    expect(readdirSync(join(folder, '.builds'))).toHaveLength(2);
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
