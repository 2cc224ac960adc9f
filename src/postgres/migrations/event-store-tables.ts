/**
 * Returns the SQL that creates the tables of an event store, in a separate schema. Part of the first numbered
 * migration. `event.data` is text, not jsonb, because the hash chain covers its exact bytes. `head` holds the last
 * position that was assigned to an event.
 */
export const eventStoreTables = (schema: string, firstPosition = 1n): string => `
    create schema ${schema};
    create sequence ${schema}.head as bigint minvalue 0 start ${firstPosition - 1n};
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
    -- One row, written when a gateway first uses the store.
    create table ${schema}.identity (
      id      uuid    not null,
      is_only boolean primary key default true check (is_only)
    );
    create table ${schema}.retention (
      stream    text   primary key collate "C",
      max_count bigint not null check (max_count >= 1)
    );
`;

/**
 * Returns the SQL that creates the index of the archive: events that left the table for files (D-101). A file is known
 * by the position of its first event. Files follow each other in the order of positions.
 */
export const archiveTables = (schema: string): string => `
    create table ${schema}.archived_file (
      first_position bigint primary key,
      last_position  bigint not null unique,
      file           text   not null,
      -- Types of its events.
      types          text[] not null
    );
    -- The files that hold events of a stream, with its last revision in each. By name, not by
    -- a hash: ids of publications and deliveries begin with a time, so a search for a new one ends on the last page (ADR-415).
    create table ${schema}.archived_stream (
      stream   text   not null collate "C",
      file     bigint not null references ${schema}.archived_file,
      revision bigint not null,
      primary key (stream, file)
    );
`;
