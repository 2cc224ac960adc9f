import type { Json, JsonObject } from '../../../kernel/json.js';
import { unhurried } from '../../../postgres/pool.js';
import type { Projection, Tx } from '../projection.js';

/** Type of difference: a row is missing from the live tables, exists only there, or has different content. */
type DifferenceKind = 'missing' | 'extra' | 'different';

/** A row that differs. */
export interface Difference {
  readonly table: string;
  /** Values of the primary key. */
  readonly key: readonly Json[];
  readonly kind: DifferenceKind;
  readonly live: JsonObject | null;
  readonly fresh: JsonObject | null;
}

/** Result of comparing the rows of two schemas. */
export interface Comparison extends Readonly<Record<DifferenceKind, number>> {
  /** Number of rows in the fresh tables. */
  readonly rows: number;
  /** Up to {@link EXAMPLES} per kind and table. */
  readonly differences: readonly Difference[];
}

/** Maximum number of examples per kind and table. */
const EXAMPLES = 20;

/** Compares all tables of two schemas with the same definitions, using a full outer join of hashed rows per table. */
export const compareSchemas = async (
  tx: Tx,
  live: string,
  fresh: string,
  { stamps = {}, expired = {} }: Pick<Projection, 'stamps' | 'expired'> = {},
): Promise<Comparison> => {
  const found: Difference[] = [];
  const totals = { rows: 0, missing: 0, extra: 0, different: 0 };
  for (const { name, keys } of await listTables(tx, fresh)) {
    const counted = await tx.query<{ rows: bigint }>(unhurried(`select count(*) as rows from ${fresh}.${name}`));
    totals.rows += Number(counted.rows[0]!.rows);
    const { rows } = await tx.query<Difference & { readonly total: bigint; readonly number: bigint }>(
      unhurried(compareTable(name, keys, stamps[name] ?? [], live, fresh, expired[name])),
    );
    for (const { total, number, ...difference } of rows) {
      if (number === 1n) totals[difference.kind] += Number(total);
      found.push({ ...difference, table: name });
    }
  }
  return { ...totals, differences: found };
};

const listTables = async (tx: Tx, schema: string): Promise<{ name: string; keys: readonly string[] }[]> => {
  const { rows } = await tx.query<{ name: string; keys: readonly string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum)) as keys
     from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary
     join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
     where c.relnamespace = to_regnamespace($1) and c.relkind = 'r' group by 1 order by 1`,
    [schema],
  );
  return rows;
};

const compareTable = (
  table: string,
  keys: readonly string[],
  stamps: readonly string[],
  live: string,
  fresh: string,
  isExpired: ((schema: string) => string) | undefined,
): string => {
  const content =
    stamps.length === 0 ? 't' : `(to_jsonb(t) - array[${stamps.map((column) => `'${column}'`).join(', ')}])`;
  const keyOf = (row: string) => `jsonb_build_array(${keys.map((key) => `${row}.${key}`).join(', ')})`;
  const hashed = (schema: string) =>
    `(select ${keyOf('t')}::text as key, md5(${content}::text) as hash from ${schema}.${table} t
      ${isExpired ? `where not ${isExpired(schema)}` : ''})`;
  return `
    with difference as (
      select coalesce(l.key, f.key) as key,
        case when l.key is null then 'missing' when f.key is null then 'extra' else 'different' end as kind
      from ${hashed(live)} l full join ${hashed(fresh)} f on l.key = f.key
      where l.key is null or f.key is null or l.hash <> f.hash),
    numbered as (
      select key, kind, row_number() over (partition by kind order by key) as number,
        count(*) over (partition by kind) as total
      from difference)
    select n.kind, n.key::jsonb as key, n.number, n.total, to_jsonb(l) as live, to_jsonb(f) as fresh
    from (select * from numbered where number <= ${EXAMPLES}) n
    left join ${live}.${table} l on ${keyOf('l')}::text = n.key
    left join ${fresh}.${table} f on ${keyOf('f')}::text = n.key
    order by n.kind, n.number`;
};
