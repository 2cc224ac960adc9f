import type { Migration } from '../migrations.js';

/** Transparency logs that have ended (ADR-213). */
export const endedLogs: Migration = {
  number: 3,
  name: 'ended-logs',
  sql: `
    -- Transparency logs that have ended (ADR-213), in the order in which they did, with the newest checkpoint that is known of each.
    -- "statement": that checkpoint with a line that says that the log has ended, signed by its key; null without the key.
    -- "suffix": what the log's name had after the name of the first log; "next_suffix": of the log that followed. "tree_size": leaves of
    -- the tree that was kept in the tables below. They are evidence, and no program changes them.
    create table ops_history_ended_log (
      number bigint not null generated always as identity,
      origin text primary key,
      vkey text not null,
      checkpoint text not null,
      statement text,
      reason text not null,
      ended_at timestamptz not null,
      suffix text not null,
      next_suffix text not null,
      tree_size bigint not null default 0
    );
    create table ops_history_ended_tile (
      origin text not null,
      level smallint not null,
      number bigint not null,
      hashes bytea not null,
      primary key (origin, level, number)
    );
    create table ops_history_ended_bundle (
      origin text not null,
      number bigint not null,
      first_position bigint not null,
      entries bytea not null,
      seals bytea not null,
      primary key (origin, number)
    );
  `,
};
