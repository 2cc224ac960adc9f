// More than 20 s: the program is built or checked some fifty times, ten at a time.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from './until.js';

/** A folder with a small program that has been built once, because bundling the packages takes seconds. */
let template: string;
let folder: string;
const children: ChildProcess[] = [];

const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};
const writeText = (text: string): void => write('src/late.ts', `export const text: string = ${JSON.stringify(text)};`);
const listBuilds = (): string[] => readdirSync(join(folder, '.builds')).sort();
const readCurrent = (): string => dirname(readlinkSync(join(folder, 'dist')));

/** Runs the script that runs before `npm start`. */
const prestart = (...options: readonly string[]): Promise<{ code: number; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [...options, 'scripts/prestart.js'], { cwd: folder }, (error, _, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stderr }),
    );
  });

/** Makes a build stop in its middle, with the lock and an unfinished folder, until it is killed. */
const HOLD_BUILD = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  fs.copyFile = () => new Promise(() => undefined);
  syncBuiltinESMExports();`)}`;

/** Makes a build write many files, which takes a while, instead of copying the bundled packages. */
const LARGE_COPY = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  fs.cp = (_, to) => Promise.all(
    Array.from({ length: 4 }, async (_, part) => {
      for (let n = 0; n < 300; n++) {
        await fs.mkdir(to, { recursive: true });
        await fs.writeFile(to + '/' + part + '-' + n, '');
      }
    }),
  );
  syncBuiltinESMExports();`)}`;

const startTen = () => Promise.all(Array.from({ length: 10 }, () => prestart()));
const ALL_WELL = Array(10).fill({ code: 0, stderr: '' });

/** Runs the program as `npm start` does and returns what it prints. */
const runProgram = (): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--enable-source-maps', 'dist/main.js', 'at once'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.trim();
};

/** Starts the program, which loads a module and prints its text whenever it reads a line. */
const startProgram = async () => {
  const child = spawn(process.execPath, ['dist/main.js'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('started');
  return async (): Promise<string> => {
    child.stdin.write('\n');
    return (await lines.next()).value as string;
  };
};

beforeAll(async () => {
  folder = template = mkdtempSync(join(tmpdir(), 'crosspost-builds-'));
  cpSync('scripts', join(folder, 'scripts'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  write('package.json', '{"type": "module"}');
  write('package-lock.json', '{}');
  cpSync('src/app/note-process.ts', join(folder, 'src/app/note-process.ts'), { recursive: true });
  write(
    'src/main.ts',
    `import { noteProcess } from './app/note-process.js';
     noteProcess();
     const print = async () => console.log((await import('./late.js')).text);
     if (process.argv[2]) await print();
     else {
       console.log('started');
       process.stdin.on('data', print);
     }`,
  );
  writeText('first');
  expect(await startTen()).toEqual(ALL_WELL);
  expect(listBuilds()).toHaveLength(1);
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspost-builds-'));
  cpSync(template, folder, { recursive: true, verbatimSymlinks: true });
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    const exited = child.exitCode !== null || child.signalCode !== null ? null : once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
});

it('ten starts at once all end well, and one of them builds what has changed', async () => {
  const built = readCurrent();
  expect(await startTen()).toEqual(ALL_WELL); // nothing has changed
  expect([listBuilds(), readCurrent()]).toEqual([[built.slice('.builds/'.length)], built]);
  expect(runProgram()).toBe('first');

  writeText('second');
  expect(await startTen()).toEqual(ALL_WELL);
  expect(listBuilds()).toHaveLength(2);
  expect(runProgram()).toBe('second');
});

it('a running process keeps the files that it has yet to load', async () => {
  const printText = await startProgram();
  writeText('second');
  expect(await prestart()).toEqual({ code: 0, stderr: '' });
  expect(runProgram()).toBe('second');
  expect(await printText()).toBe('first');
});

it('removes a build that was replaced a day ago, unless a process runs it', async () => {
  const first = readCurrent();
  const printText = await startProgram();
  writeText('second');
  await prestart();
  const second = readCurrent();
  const yesterday = Date.now() / 1_000 - 25 * 3_600;
  for (const [text, isSecondOld] of [
    ['third', false],
    ['fourth', true],
  ] as const) {
    utimesSync(join(folder, first), yesterday, yesterday);
    if (isSecondOld) utimesSync(join(folder, second), yesterday, yesterday);
    writeText(text);
    await prestart();
    expect([first, second].map((build) => existsSync(join(folder, build)))).toEqual([true, !isSecondOld]);
  }
  expect(await printText()).toBe('first');

  children[0]!.kill('SIGKILL');
  await once(children[0]!, 'exit');
  writeText('fifth');
  await prestart();
  expect(existsSync(join(folder, first))).toBe(false);
});

it.each(['package-lock.json', 'scripts/swc-options.js'])('builds again if %s changes', async (file) => {
  write(file, `${readFileSync(join(folder, file), 'utf8')}\n`);
  await prestart();
  expect(listBuilds()).toHaveLength(2);
});

it('takes over the lock of a builder that was killed, and its unfinished build is never used', async () => {
  for (let n = 0; n < 3; n++) {
    writeText(`text ${n}`);
    const held = ['--import', HOLD_BUILD, 'scripts/prestart.js'];
    const builder = spawn(process.execPath, held, { cwd: folder, stdio: 'ignore' });
    children.push(builder);
    await until('the build has begun', async () => existsSync(join(folder, '.builds/lock')));
    builder.kill('SIGKILL');
    expect(await startTen()).toEqual(ALL_WELL);
    expect(runProgram()).toBe(`text ${n}`);
    expect(existsSync(join(folder, '.builds/lock'))).toBe(false);
  }
});

it('leaves the former build where a source has an error, and says where', async () => {
  write('src/late.ts', 'export const text = ;');
  expect(await prestart()).toMatchObject({ code: 1, stderr: expect.stringContaining('late.ts') });
  expect(runProgram()).toBe('first');
  expect(listBuilds()).toHaveLength(1);
  // Other parts of the build may still be in progress.
  const failed = await prestart('--import', LARGE_COPY);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('late.ts') });
  expect(listBuilds()).toHaveLength(1);
  writeText('mended');
  expect(await startTen()).toEqual(ALL_WELL);
  expect(runProgram()).toBe('mended');
});

it('replaces the folder dist of an earlier version by a link', async () => {
  const built = readCurrent();
  rmSync(join(folder, 'dist'));
  renameSync(join(folder, built, 'dist'), join(folder, 'dist'));
  writeText('second');
  expect(await startTen()).toEqual(ALL_WELL);
  expect(runProgram()).toBe('second');
});

it('a module in the bundle keeps the files beside it, the names of its classes, and its lines in stack traces', async () => {
  write(
    'src/late.ts',
    "import { Note as Other } from './one/note.js'; import { Note } from './two/note.js'; export const text = new Note(new Other().show()).show();",
  );
  write('src/one/name.json', '"one"');
  for (const part of ['one', 'two'])
    write(
      `src/${part}/note.ts`,
      `import { readFileSync } from 'node:fs';

export class Note {
  constructor(readonly other = '') {}
  show(): string {
    if (this.other) return [this.other, Note.name, this.locate()].join();
    return [Note.name, readFileSync(new URL('./name.json', import.meta.url), 'utf8')].join();
  }
  private locate = (): string => /[^/]+.ts:\\d+/.exec(new Error('here').stack!)![0];
}
`,
    );
  expect(await prestart()).toEqual({ code: 0, stderr: '' });
  expect(runProgram()).toBe('Note,"one",Note,note.ts:9');
  rmSync(join(folder, readCurrent(), 'dist/one/note.js')); // only the bundle is loaded
  expect(runProgram()).toBe('Note,"one",Note,note.ts:9');
});
