/**
 * Returns the tables of an event store, in a schema of their own. Part of the first numbered migration. `event.data` is text,
 * not jsonb, because the hash chain covers its exact bytes.
 */
export const eventStoreTables = (schema: string): string => `
    create schema ${schema};
    create table ${schema}.event (
      position bigint primary key,
      stream   text   not null collate "C",
      revision bigint not null,
      id       uuid   not null,
      type     text   not null,
      data     text   not null,
      metadata text   not null,
      unique (stream, revision)
    );
    create table ${schema}.retention (
      stream    text   primary key collate "C",
      max_count bigint not null check (max_count >= 1)
    );
`;
