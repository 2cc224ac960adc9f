import {
  bigint,
  bigintDigits,
  boolean,
  defineTable,
  describeColumns,
  fixed,
  jsonb,
  nullable,
  text,
  texts,
  typesOf,
} from './projection.js';

const columns = {
  thing_id: text(),
  owner_id: fixed(text()),
  position: bigintDigits(),
  until: nullable(bigint()),
  details: nullable(fixed(jsonb<{ readonly a: number }>())),
};

describe('the definition of a table', () => {
  it('yields its SQL, with what the database computes and the storage', () => {
    const computed = ['waits boolean not null generated always as (until is null) stored'];
    const { ddl } = defineTable({ name: 'thing', key: 'thing_id', computed, fillfactor: 60 }, columns);
    expect(ddl.replace(/\s+/g, ' ')).toBe(
      'create table thing ( thing_id text primary key, owner_id text not null, position bigint not null, until bigint, ' +
        'details jsonb, waits boolean not null generated always as (until is null) stored ) with (fillfactor = 60);',
    );
  });

  it('yields the columns that rows are written with, and those that updates omit', () => {
    const table = defineTable({ name: 'thing', key: 'thing_id' }, columns);
    expect(table.columns).toEqual(['thing_id', 'owner_id', 'position', 'until', 'details']);
    expect(table.fixed).toEqual(['owner_id', 'details']);
    expect(table.types).toBeUndefined();
  });

  it('yields the SQL types of a table that many events change', () => {
    const { types } = defineTable({ name: 'thing', key: 'thing_id', isHot: true }, columns);
    expect(types).toEqual({
      thing_id: 'text',
      owner_id: 'text',
      position: 'bigint',
      until: 'bigint',
      details: 'jsonb',
    });
  });

  it('refuses to write a table with lists as arrays', () => {
    expect(() => typesOf({ names: texts() })).toThrow('the column names is a list');
    expect(describeColumns({ names: texts(), ok: boolean() })).toBe('names text[] not null, ok boolean not null');
  });
});
