import { Client } from 'pg';
import * as arrays from '../../src/postgres/binary-array.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

describe('arrays in the binary format', () => {
  let postgres: TestPostgres;
  let client: Client;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    client = new Client({ connectionString: postgres.connectionString });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await postgres.stop();
  });

  /** Returns the elements that the server reads, in its own text form. */
  const read = async (type: string, array: Buffer): Promise<(string | null)[]> => {
    const { rows } = await client.query<{ value: string | null }>(`select unnest($1::${type}[])::text as value`, [
      array,
    ]);
    return rows.map(({ value }) => value);
  };

  it.each([
    ['text', arrays.textArray(['', 'a "b" \\ {c},', 'ж🔗', null, 'NULL']), ['', 'a "b" \\ {c},', 'ж🔗', null, 'NULL']],
    ['int4', arrays.int4Array([0, -1, 2_147_483_647, null]), ['0', '-1', '2147483647', null]],
    [
      'int8',
      arrays.int8Array([
        0,
        -1,
        5,
        4_294_967_296,
        -4_294_967_297,
        Number.MAX_SAFE_INTEGER,
        Number.MIN_SAFE_INTEGER,
        null,
      ]),
      ['0', '-1', '5', '4294967296', '-4294967297', '9007199254740991', '-9007199254740991', null],
    ],
    [
      'int8',
      arrays.int8Array([0n, -1n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n]),
      ['0', '-1', '9223372036854775807', '-9223372036854775808'],
    ],
    ['int8', arrays.hexInt8Array(['0000000000000001', 'ffffffffffffffff', null]), ['1', '-1', null]],
    ['float8', arrays.float8Array([0.5, -1e300, null]), ['0.5', '-1e+300', null]],
    ['boolean', arrays.boolArray([true, false, null]), ['true', 'false', null]],
    [
      'uuid',
      arrays.uuidArray(['0198c0de-0000-7000-8000-00000000abcd', null]),
      ['0198c0de-0000-7000-8000-00000000abcd', null],
    ],
    ['text', arrays.textArray([]), []],
  ])('of %s are read correctly', async (type, array, expected) => {
    expect(await read(type, array)).toEqual(expected);
  });

  it('reject text that is not a UUID', () => {
    expect(() => arrays.uuidArray(['0198c0de'])).toThrow(RangeError);
  });
});
