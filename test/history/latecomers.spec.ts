import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SRC = join(import.meta.dirname, '../../src');
const read = (path: string): string => readFileSync(join(SRC, path), 'utf8');

it('an import moves the checkpoints of all sagas that start at `now`', () => {
  const names = readdirSync(join(SRC, 'sagas'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => read(join('sagas', path)))
    .filter((code) => code.includes("startsAt: 'now'"))
    .map((code) => /(?:const NAME =|\bname:) '([\w-]+)'/.exec(code)?.[1]);
  const [, list = ''] = /const LATECOMERS = \[([^\]]*)\]/.exec(read('app/modules/history.module.ts')) ?? [];
  const moved = [...list.matchAll(/'saga\/([\w-]+)'/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(moved.sort()).toEqual(names.sort());
});
