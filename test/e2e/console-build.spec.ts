import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

let folder: string;
const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};

const SCRIPT = `import { buildConsole, needsConsole } from './scripts/build-console.js';
  import { createBuild } from './scripts/builds.js';
  if (needsConsole()) await createBuild(buildConsole, {});`;

const runBuild = () =>
  spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'test' },
  });

/** Builds the console of the folder, and returns the messages of the build. */
const buildConsole = (): string => {
  const { status, stdout, stderr } = runBuild();
  expect([status, stdout]).toEqual([0, '']);
  return stderr;
};

const BUILDING = /^Building the console\./;
const readScript = (): { name: string; text: string } => {
  const assets = join(folder, 'dist/console/assets');
  const [name] = readdirSync(assets).filter((file) => file.endsWith('.js'));
  return { name: name!, text: readFileSync(join(assets, name!), 'utf8') };
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspost-console-build-'));
  for (const script of ['build-console.js', 'built-console.js', 'builds.js'])
    cpSync(join('scripts', script), join(folder, 'scripts', script));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  write('package.json', '{"type": "module"}');
  write(
    'console/vite.config.js',
    "export default { root: import.meta.dirname, base: './', build: { assetsInlineLimit: 0 } };",
  );
  write('console/index.html', '<div id="root"></div><script type="module" src="/main.ts"></script>');
  write(
    'console/main.ts',
    "import { words } from '../shared/words.ts'; document.body.append(words, process.env.NODE_ENV ?? '');",
  );
  write('shared/words.ts', `export const words = ${JSON.stringify('first '.repeat(100))};`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('builds the console once, and again only when a source changes', () => {
  expect(buildConsole()).toMatch(BUILDING);
  const first = readScript();
  expect(first.text).toContain('first');
  expect(first.text).toContain('production'); // whatever NODE_ENV the start has
  expect(buildConsole()).toBe('');

  write('shared/words.ts', `export const words = ${JSON.stringify('second '.repeat(100))};`);
  expect(buildConsole()).toMatch(BUILDING);
  const second = readScript();
  expect(second.text).toContain('second');
  expect(second.name).not.toBe(first.name);
  expect(readdirSync(join(folder, 'dist/console/assets'))).toHaveLength(3); // nothing of the first build is left

  write('console/public/robots.txt', 'User-agent: *');
  expect(buildConsole()).toMatch(BUILDING);
  expect(existsSync(join(folder, 'dist/console/robots.txt'))).toBe(true);
});

it('compresses what the gateway sends', () => {
  buildConsole();
  const { name, text } = readScript();
  const readCompressed = (extension: string) => readFileSync(join(folder, 'dist/console/assets', name + extension));
  expect(brotliDecompressSync(readCompressed('.br')).toString()).toBe(text);
  expect(gunzipSync(readCompressed('.gz')).toString()).toBe(text);
});

it('keeps the former build if a source has an error, and says where', () => {
  buildConsole();
  const { name } = readScript();
  write('console/main.ts', "import './missing.ts';");
  const { status, stderr } = runBuild();
  expect(status).toBe(1);
  expect(stderr).toContain('./missing.ts');
  expect(readScript().name).toBe(name);
});

it('builds nothing where there is no console/, and says so where Vite is missing', () => {
  rmSync(join(folder, 'node_modules'));
  expect(buildConsole()).toMatch(/^The console is not built, because Vite is not installed\./);
  rmSync(join(folder, 'console'), { recursive: true });
  expect(buildConsole()).toBe('');
  expect(existsSync(join(folder, 'dist'))).toBe(false);
});
