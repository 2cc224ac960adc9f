import type { Pool } from 'pg';
import { createLogger } from '../../../src/config/logger.js';
import { createPool, withTransaction } from '../../../src/postgres/pool.js';
import { Rows, type RowTable } from '../../../src/projections/engine/rows.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';

const first: RowTable<{ id: string; a: number }> = { name: 'channel', key: 'id', columns: ['id', 'a'] };
const second: RowTable<{ id: string; b: number }> = { name: 'channel', key: 'id', columns: ['id', 'b'] };

it('tables of two projections with the same name use one connection in turn', async () => {
  const postgres = await startTestPostgres();
  const logger = createLogger({ logLevel: 'silent' });
  const pool = createPool(postgres.connectionString, { max: 1, applicationName: 'rows-spec', logger });
  await pool.query(`create schema one; create table one.channel (id text primary key, a int);
                    create schema two; create table two.channel (id text primary key, b int)`);
  const write = <Row extends { id: string }>(
    schema: string,
    table: RowTable<Row>,
    row: Row,
  ): Promise<Row | undefined> =>
    withTransaction(pool, async (tx) => {
      await tx.query(`set local search_path to ${schema}`);
      const rows = await Rows.load(tx, table, [row.id]);
      const before = rows.get(row.id);
      rows.put(row);
      await rows.flush();
      return before;
    });
  for (const round of [1, 2, 3]) {
    const before = [
      await write('one', first, { id: 'x', a: round }),
      await write('two', second, { id: 'x', b: -round }),
    ];
    expect(before).toEqual(
      round === 1
        ? [undefined, undefined]
        : [
            { id: 'x', a: round - 1 },
            { id: 'x', b: 1 - round },
          ],
    );
  }
  await pool.end();
  await postgres.stop();
});

interface Typed {
  readonly id: string;
  readonly number: number | null;
  readonly large: string | number | null;
  readonly share: number | null;
  readonly flag: boolean | null;
  readonly words: string | null;
  readonly list: unknown;
}

const typed: RowTable<Typed> = {
  name: 'typed',
  key: 'id',
  columns: ['id', 'number', 'large', 'share', 'flag', 'words', 'list'],
  types: {
    id: 'text',
    number: 'int',
    large: 'bigint',
    share: 'double precision',
    flag: 'boolean',
    words: 'text',
    list: 'jsonb',
  },
};

const untyped: RowTable<Typed> = { name: 'untyped', key: 'id', columns: typed.columns };

const ODD_ROWS: readonly Typed[] = [
  {
    id: 'usual',
    number: -7,
    large: 1_795_579_478_806,
    share: 0.25,
    flag: true,
    words: 'Привет 👋',
    list: ['a', { b: 1 }],
  },
  { id: 'empty', number: null, large: null, share: null, flag: null, words: null, list: null },
  { id: 'large', number: 2 ** 31 - 1, large: '9007199254740993', share: 1e300, flag: false, words: '', list: [] },
  { id: 'negative', number: -(2 ** 31), large: -1, share: -0.1, flag: false, words: '\\u0000 "x" {y,z}', list: {} },
  {
    id: 'escaped',
    number: 1,
    large: 1,
    share: 1,
    flag: true,
    words: 'a\n\t"\\n" null',
    list: ['a\n"\\"', { b: 'null' }],
  },
  { id: 'word', number: 1, large: 1, share: 1, flag: true, words: 'null', list: 'null' },
  { id: 'unstorable', number: 0, large: 0, share: 0, flag: true, words: 'a\0b\ud83dc', list: ['\0', 'x\udc4b'] },
];

describe('a table with types', () => {
  let postgres: TestPostgres;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    const logger = createLogger({ logLevel: 'silent' });
    pool = createPool(postgres.connectionString, { max: 1, applicationName: 'rows-spec', logger });
    const columns =
      'id text primary key, number int, large bigint, share double precision, flag boolean, words text, list jsonb';
    await pool.query(`create table typed (${columns}); create table untyped (${columns})`);
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });

  const write = (table: RowTable<Typed>, written: readonly Typed[]): Promise<void> =>
    withTransaction(pool, async (tx) => {
      const ids = written.map(({ id }) => id);
      const rows = await Rows.load(tx, table, ids);
      for (const row of written) rows.put(row);
      await rows.flush();
    });
  const read = async (table: string) => (await pool.query(`select * from ${table} order by id`)).rows as unknown[];

  it('has the same rows as one without, inserted and updated', async () => {
    const rotated = ODD_ROWS.map((row, i) => ({ ...ODD_ROWS[(i + 1) % ODD_ROWS.length]!, id: row.id }));
    for (const rows of [ODD_ROWS, rotated]) {
      await write(typed, rows);
      await write(untyped, rows);
      expect(await read('typed')).toEqual(await read('untyped'));
    }
    expect(await read('typed')).toHaveLength(ODD_ROWS.length);
  });

  it('writes more rows than one statement has, in order', async () => {
    const many = Array.from({ length: 4_500 }, (_, i) => ({ ...ODD_ROWS[0]!, id: `many ${i}`, number: i }));
    await write(typed, many);
    await write(
      typed,
      many.map((row) => ({ ...row, flag: false })),
    );
    const { rows } = await pool.query(
      `select count(*)::int as count, sum(number)::int as sum from typed where id like 'many %' and not flag`,
    );
    expect(rows).toEqual([{ count: 4_500, sum: (4_499 * 4_500) / 2 }]);
  });

  it.each([typed, untyped])('leaves columns alone that no row of a statement changes: $name', async (table) => {
    const kept = ['kept 1', 'kept 2'].map((id) => ({ ...ODD_ROWS[0]!, id }));
    await write(table, kept);
    await withTransaction(pool, async (tx) => {
      const rows = await Rows.load(tx, table, ['kept 1', 'kept 2']);
      await tx.query(`update ${table.name} set words = 'direct' where id like 'kept %'`);
      rows.patch('kept 1', { number: 8 });
      rows.put({ ...rows.get('kept 2')!, flag: false });
      await rows.flush();
      await rows.reload(['kept 2']);
      rows.put({ ...kept[1]!, list: [2] }); // since the reload, its words and flag differ
      await rows.flush();
    });
    const text = `select number, flag, words, list from ${table.name} where id like 'kept %' order by id`;
    expect((await pool.query(text)).rows).toEqual([
      { number: 8, flag: true, words: 'direct', list: ['a', { b: 1 }] },
      { number: -7, flag: true, words: 'Привет 👋', list: [2] },
    ]);
    await pool.query(`delete from ${table.name} where id like 'kept %'`);
  });

  it.each([{ number: 'seven' }, { number: 0.5 }, { number: '\n' }, { large: '' }, { share: 'x' }, { flag: 'maybe' }])(
    'writes nothing if one of its rows has a value of another type: %j',
    async (change) => {
      const before = await read('typed');
      const wrong = { ...ODD_ROWS[0]!, id: 'wrong', ...change } as Typed;
      const many = Array.from({ length: 2_500 }, (_, i) => ({ ...ODD_ROWS[0]!, id: `lost ${i}` }));
      await expect(write(typed, [...many, wrong])).rejects.toThrow();
      expect(await read('typed')).toEqual(before);
    },
  );
});

it('writes a row that a patch leaves as it is not at all', async () => {
  const postgres = await startTestPostgres();
  const logger = createLogger({ logLevel: 'silent' });
  const pool = createPool(postgres.connectionString, { max: 1, applicationName: 'rows-spec', logger });
  await pool.query(
    `create table channel (id text primary key, a int); insert into channel values ('x', 1), ('y', null)`,
  );
  const written = async (change: { a: number | null }): Promise<unknown[]> => {
    const before = (await pool.query('select xmin::text from channel order by id')).rows;
    await withTransaction(pool, async (tx) => {
      const rows = await Rows.load(tx, first, ['x', 'y', 'z']);
      for (const id of ['x', 'y', 'z']) rows.patch(id, change as { a: number });
      await rows.flush();
    });
    const after = (await pool.query('select id, a, xmin::text from channel order by id')).rows;
    return after.filter(({ xmin }, i) => xmin !== before[i].xmin).map(({ id, a }) => [id, a]);
  };
  expect(await written({ a: 1 })).toEqual([['y', 1]]);
  expect(await written({ a: 1 })).toEqual([]);
  expect(await written({ a: null })).toEqual([
    ['x', null],
    ['y', null],
  ]);
  await pool.end();
  await postgres.stop();
});
