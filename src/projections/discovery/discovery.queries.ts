import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { POOL } from '../../postgres/tokens.js';
import type { ChannelRow, EndpointRow, OwnerRow, ProjectRow } from './discovery.tables.js';

/** What is set up, by the name of its kind. */
export interface Things {
  readonly owner: OwnerRow;
  readonly channel: ChannelRow;
  readonly project: ProjectRow;
  readonly endpoint: EndpointRow;
}
/** Name of a kind of thing. */
export type Kind = keyof Things;

/** One thing by its id; null where there is none. @param ownerId only where it belongs to this owner; null: whoever's */
export class FindThing<K extends Kind> extends Query<Things[K] | null> {
  constructor(
    readonly kind: K,
    readonly id: string,
    readonly ownerId: string | null,
  ) {
    super();
  }
}

/** Things, the newest first. @param ownerId only this owner's; null: everyone's @param before only those older than this one */
export class ListThings<K extends Kind> extends Query<Things[K][]> {
  constructor(
    readonly kind: K,
    readonly ownerId: string | null,
    readonly page: { readonly before: string | null; readonly limit: number },
  ) {
    super();
  }
}

/** Which of these ids name no thing of this kind that the owner has. */
export class FindMissing extends Query<{ readonly index: number; readonly id: string }[]> {
  constructor(
    readonly kind: 'channel' | 'project',
    readonly ownerId: string,
    readonly ids: readonly string[],
  ) {
    super();
  }
}

/** The owner whose key has this hash (SHA-256, hex); null where nobody's has. */
export class FindOwnerByKey extends Query<OwnerRow | null> {
  constructor(readonly keyHash: string) {
    super();
  }
}

/** Part of statements: of the closed set of kinds alone. */
const tableOf = (kind: Kind): { table: string; id: string } => ({ table: `discovery.${kind}`, id: `${kind}_id` });

@QueryHandler(FindThing)
export class FindThingHandler implements IQueryHandler<FindThing<Kind>> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ kind, id: value, ownerId }: FindThing<Kind>): Promise<Things[Kind] | null> {
    const { table, id } = tableOf(kind);
    const { rows } = await this.pool.query<{ row: Things[Kind] }>({
      name: `find ${kind}`,
      text: `select to_jsonb(t) as row from ${table} t where ${id} = $1 and ($2::text is null or owner_id = $2)`,
      values: [value, ownerId],
    });
    return rows[0]?.row ?? null;
  }
}

@QueryHandler(ListThings)
export class ListThingsHandler implements IQueryHandler<ListThings<Kind>> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ kind, ownerId, page: { before, limit } }: ListThings<Kind>): Promise<Things[Kind][]> {
    const { table, id } = tableOf(kind);
    // Conditions are left out, not made true for everyone: only so does each list walk along an index.
    const values: unknown[] = [limit];
    const conditions = ['true'];
    if (ownerId !== null) conditions.push(`owner_id = $${values.push(ownerId)}`);
    if (before !== null) conditions.push(`${id} < $${values.push(before)}`);
    const text = `select to_jsonb(t) as row from ${table} t where ${conditions.join(' and ')} order by ${id} desc limit $1`;
    const { rows } = await this.pool.query<{ row: Things[Kind] }>(text, values);
    return rows.map(({ row }) => row);
  }
}

@QueryHandler(FindMissing)
export class FindMissingHandler implements IQueryHandler<FindMissing> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ kind, ownerId, ids }: FindMissing): Promise<{ index: number; id: string }[]> {
    const { table, id } = tableOf(kind);
    const { rows } = await this.pool.query<{ index: number; id: string }>({
      name: `missing ${kind}s`,
      text: `select (w.n - 1)::int as index, w.id from unnest($2::text[]) with ordinality w(id, n)
             where not exists (select 1 from ${table} t where t.${id} = w.id and t.owner_id = $1) order by w.n`,
      values: [ownerId, ids],
    });
    return rows;
  }
}

@QueryHandler(FindOwnerByKey)
export class FindOwnerByKeyHandler implements IQueryHandler<FindOwnerByKey> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ keyHash }: FindOwnerByKey): Promise<OwnerRow | null> {
    const { rows } = await this.pool.query<{ row: OwnerRow }>({
      name: 'owner by key',
      text: 'select to_jsonb(t) as row from discovery.owner t where key_hash = $1',
      values: [keyHash],
    });
    return rows[0]?.row ?? null;
  }
}
