import { readFileSync } from 'node:fs';
import { projectionsOf } from '../../src/app/modules/read-models.js';
import { migrations } from '../../src/postgres/migrations/all.js';

/** docs/personal-data.md says what each table holds about people. */
const text = readFileSync(new URL('../../docs/personal-data.md', import.meta.url), 'utf8');

const tablesIn = (sql: string, schema = ''): string[] =>
  [...sql.matchAll(/create table (?:if not exists )?([\w.]+)/g)].map(([, name]) => schema + name!);

const own = migrations.numbered.flatMap(({ sql }) => tablesIn(sql));
const readModels = projectionsOf({ minuteMs: 60_000 }).flatMap(({ name, tables }) => tablesIn(tables, `${name}.`));

/** The tables that the first column of the lists names. */
const listed = text
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...line.split(' | ')[0]!.matchAll(/`([\w-]+\.\w+|ops_\w+)`/g)].map(([, name]) => name!));

describe('the lists of docs/personal-data.md', () => {
  it('name every table of the database, once', () => {
    expect(listed.toSorted()).toEqual([...own, ...readModels].toSorted());
  });
});
