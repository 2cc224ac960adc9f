import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

describe('the table of folders in docs/architecture.md', () => {
  it('names every folder of src/, and no other', () => {
    const rows = readFileSync(join(root, 'docs/architecture.md'), 'utf8').matchAll(/^\| (`src\/.*?) +\| \S/gm);
    const named = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`src\/([\w-]+)/g)].map(([, name]) => name!));
    const there = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(named.sort()).toEqual(there.map(({ name }) => name).sort());
  });
});
