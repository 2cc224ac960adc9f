import type { Migration } from '../migrations.js';
import { eventStoreTables } from './event-store-tables.js';

/**
 * The event store, which stays empty if the events are in KurrentDB, and the gateway's operational tables, such as
 * database settings, checkpoints, workers and their leases, secrets, responses to idempotent requests and rate limits.
 * Read models are not among them: each projection creates its own tables. The functions that work on these tables are
 * in migrations/repeatable/.
 */
export const schema: Migration = {
  number: 1,
  name: 'schema',
  sql: `${eventStoreTables('event_store')}
    -- Facts about this database that all processes share, e.g. the fingerprint of its SECRETS_KEY.
    create table ops_setting (name text primary key, value text not null);

    -- Versions of each read model (ADR-101): the live one, the one that is built beside it, and the one that was live before.
    -- Numbers of versions are never used again. "candidate_job": the job that decides about the candidate; null: it becomes live
    -- by itself, as its code is newer.
    create table ops_projection (
      name text primary key,
      live_version int not null,
      candidate_version int,
      candidate_job text,
      previous_version int,
      last_version int not null
    );
    -- "code" is the version of the program's projection that fills the tables. "anchor" is an event that is applied, as JSON
    -- (ADR-124): the event store that the checkpoint belongs to contains it. "failure": the event that could not be applied, as
    -- JSON with its id, position and type; the version is stopped there. "level": it has reached the end of the log once. The rest
    -- measures its pace: events that were applied, in all and by the start of the present interval, and of the interval before the
    -- events and positions a second.
    create table ops_checkpoint (
      name text not null,
      version int not null,
      code int not null,
      position bigint not null,
      moved_at timestamptz not null default now(),
      error text,
      failure jsonb,
      anchor text,
      level boolean not null default false,
      applied bigint not null default 0,
      interval_at timestamptz not null default now(),
      interval_applied bigint not null default 0,
      interval_position bigint not null default -1,
      events_per_second float8 not null default 0,
      positions_per_second float8 not null default 0,
      primary key (name, version)
    ) with (fillfactor = 20);
    -- The version behind the views that processes with a code read.
    create table ops_projection_reader (
      name text not null,
      code int not null,
      version int not null,
      primary key (name, code),
      foreign key (name, version) references ops_checkpoint on delete cascade
    );

    -- A worker is alive while its session holds the advisory lock (7001, lock_key) and "until" is in the future.
    create table ops_worker (
      worker_id text primary key,
      lock_key int not null,
      until timestamptz not null,
      started_at timestamptz not null default now()
    );
    -- Each acquisition of a lease has a term of its own, so that a late release ends only the term it was sent for.
    create table ops_lease (
      name text primary key,
      worker_id text not null references ops_worker on delete cascade,
      term bigint not null generated always as identity
    ) with (fillfactor = 50);
    create index ops_lease_worker on ops_lease (worker_id);

    -- "stream" is the stream of the event that names the secret. From "check_at" on a secret that it does not name is erased;
    -- null: an event names it.
    create table ops_secret (
      secret_id text primary key,
      sealed bytea not null,
      created_at timestamptz not null default now(),
      stream text,
      check_at timestamptz
    );
    create index ops_secret_check on ops_secret (check_at) where check_at is not null;

    -- States of aggregates with long streams (ADR-110). Rows may be deleted: they are folded from the events again.
    create table ops_snapshot (
      stream text not null collate "C",
      version int not null,
      revision bigint not null,
      hash text not null,
      state text not null,
      primary key (stream, version)
    );

    -- States of aggregates for history, at every thousandth revision of a stream (ADR-138). "at" never decreases with the
    -- revision. Rows may be deleted: they are folded from the events again.
    create table ops_history_snapshot (
      stream text not null collate "C",
      version int not null,
      revision bigint not null,
      at bigint not null,
      hash text not null,
      folded text not null,
      primary key (stream, version, revision)
    );

    -- Transparency log of the history (ADR-141): its signed head (one row), the tiles of its tree, and its entries in bundles of
    -- 256 with a seal of eight bytes for each. No row is ever rebuilt: the log must never be signed again at a smaller size.
    -- "first_position": position of the bundle's first event.
    create table ops_history_log (
      is_only boolean primary key default true check (is_only),
      size bigint not null,
      position bigint not null,
      origin text not null,
      vkey text not null,
      checkpoint text not null
    );
    create table ops_history_tile (
      level smallint not null,
      number bigint not null,
      hashes bytea not null,
      primary key (level, number)
    );
    create table ops_history_bundle (
      number bigint primary key,
      first_position bigint not null,
      entries bytea not null,
      seals bytea not null
    );
    create index ops_history_bundle_position on ops_history_bundle (first_position);

    -- Decisions about versions of read models, each written by the transaction that carried it out, under the id of its command:
    -- it is carried out once. "recorded_at": its event has been appended.
    create table ops_projection_decision (
      command_id text primary key,
      number bigint not null generated always as identity,
      projection text not null,
      event jsonb not null,
      context jsonb not null,
      decided_at timestamptz not null default now(),
      recorded_at timestamptz
    );

    -- Long work that operators have asked for. Of the jobs with one "subject", one runs at a time.
    create table ops_job (
      id text primary key,
      kind text not null,
      state text not null default 'running',
      progress float8 not null default 0,
      eta_seconds float8,
      params jsonb not null,
      result jsonb,
      subject text,
      started_at timestamptz not null default now(),
      ended_at timestamptz
    );
    create unique index ops_job_subject on ops_job (subject) where state = 'running';
    create index ops_job_running on ops_job (id) where state = 'running';

    -- Secrets that were replaced, streams of translations and of payloads in parts, with the moment from which they are
    -- erased, or looked at (D-56). "streams": those in which an event would refer to the parts of a payload.
    create table ops_erasure (
      kind text not null,
      subject text not null,
      due_at timestamptz not null,
      noted_at timestamptz not null default clock_timestamp(),
      streams text[],
      primary key (kind, subject)
    );
    create index ops_erasure_due on ops_erasure (kind, due_at);

    -- Notices on their way to the owners' chats. "batch": those that go out as one message. Settled ones stay for a day, so that
    -- a repeated event does not queue them again.
    create table ops_notice (
      notice_id text primary key,
      owner_id text not null,
      kind text not null,
      text text not null,
      raised_at timestamptz not null,
      batch text,
      settled_at timestamptz
    );
    create index ops_notice_waiting on ops_notice (owner_id, kind) where settled_at is null;
    create index ops_notice_settled on ops_notice (settled_at) where settled_at is not null;
    -- The time of the next message of a kind to an owner, and the attempts that failed in a row.
    create table ops_notice_pace (
      owner_id text not null,
      kind text not null,
      next_at timestamptz not null,
      failures int not null,
      primary key (owner_id, kind)
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

    -- Rate limits of publishing, one row per endpoint. The row is also the lock for everything that its endpoint uses up.
    create table ops_limit (
      endpoint_id text primary key,
      -- Violations before the endpoint was last enabled do not count (D-45).
      epoch bigint not null default 0,
      -- Accepted posts: the time of the last one, the times within the burst window, and the number in the UTC hour.
      last_at timestamptz,
      burst timestamptz[] not null default '{}',
      hour timestamptz,
      hour_count int not null default 0,
      violations timestamptz[] not null default '{}',
      -- True once enough violations have disabled the endpoint, whether or not the event is stored yet.
      disabled boolean not null default false,
      -- Hashes of recently admitted idempotency keys, whose posts may not be stored yet: two generations of five seconds
      -- each. keys belong to the generation that began at keys_since, older_keys to the one before it.
      keys bigint[] not null default '{}',
      older_keys bigint[] not null default '{}',
      keys_since timestamptz
    ) with (fillfactor = 50);

    -- The other limits: discovery, pauses and replays per minute and endpoint, the sandbox per UTC day and owner.
    create table ops_budget (
      -- The endpoint or, for the sandbox, its owner.
      payer_id text not null,
      budget text not null,
      minute_times timestamptz[] not null default '{}',
      day date,
      day_count int not null default 0,
      primary key (payer_id, budget)
    ) with (fillfactor = 50);

    -- Requests to hosts of media and of translation before acceptance, and bytes of their answers, of the last minute (D-51):
    -- a row per payment, first with the largest possible amounts, then with those that were used.
    create table ops_probe_payment (
      id bigint generated always as identity primary key,
      owner_id text not null,
      endpoint_id text not null,
      at timestamptz not null,
      probes int not null,
      bytes bigint not null
    );
    create index ops_probe_payment_owner on ops_probe_payment (owner_id, at);
    create index ops_probe_payment_at on ops_probe_payment (at);

    -- Posts of the month reserved for publications in progress, so that all workers together never publish more than an
    -- owner's quota (D-18). The posts read model counts what is published; a reservation counts until it shows there.
    create table ops_quota_reservation (
      publication_id text primary key,
      owner_id text not null,
      worker_id text not null
    );
    create index ops_quota_reservation_owner on ops_quota_reservation (owner_id);

    -- Pacing towards the networks, shared by all workers: one row per chat and per account. The key holds the chat, or a
    -- hash of the account's credentials.
    create table ops_pace (
      key text primary key,
      -- Times of the latest calls, past and planned, oldest first; at most the largest number of calls that a limit allows.
      slots timestamptz[] not null default '{}'
    ) with (fillfactor = 50);
  `,
};
