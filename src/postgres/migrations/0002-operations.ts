import type { Migration } from '../migrations.js';

/**
 * What cannot be rebuilt from events, apart from the read models: checkpoints, who is at work, who holds what, secrets,
 * and the answers of management calls that may be repeated.
 */
export const operations: Migration = {
  number: 2,
  name: 'operations',
  sql: `
    create table ops_projection (
      name text primary key,
      live_version int not null,
      live_code int not null
    );
    create table ops_checkpoint (
      name text not null,
      version int not null,
      code int not null,
      position bigint not null,
      moved_at timestamptz not null default now(),
      error text,
      primary key (name, version)
    ) with (fillfactor = 20);

    -- A worker is alive while its session holds the advisory lock (7001, lock_key) and "until" lies ahead.
    create table ops_worker (
      worker_id text primary key,
      lock_key int not null,
      until timestamptz not null,
      started_at timestamptz not null default now()
    );
    create table ops_lease (
      name text primary key,
      worker_id text not null references ops_worker on delete cascade
    ) with (fillfactor = 50);
    create index ops_lease_worker on ops_lease (worker_id);

    create table ops_secret (
      secret_id text primary key,
      sealed bytea not null,
      created_at timestamptz not null default now()
    );

    create table ops_idempotent_answer (
      caller text not null,
      key text not null,
      at timestamptz not null default now(),
      request_hash text not null,
      status int,
      body text,
      primary key (caller, key)
    );
    create index ops_idempotent_answer_at on ops_idempotent_answer (at);
  `,
};
