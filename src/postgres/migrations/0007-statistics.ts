import type { Migration } from '../migrations.js';

/**
 * Numbers that networks tell about publications (D-75): outside the event log and the read models, so neither exported
 * nor rebuilt. Times are milliseconds since 1970.
 */
export const statistics: Migration = {
  number: 7,
  name: 'statistics',
  sql: `
    create table ops_statistics (
      publication_id text primary key,
      post_id text not null,
      channel_id text not null,
      project_id text not null,
      owner_id text not null,
      -- Null while it is not known whether it will be published.
      published_at bigint,
      -- The channel's address when it was published; null if that is to be read from its events.
      address jsonb,
      -- Time of the next sample; null if there is none.
      next_at bigint,
      -- What the latest sample said: ok, unavailable, gone; null before the first.
      state text,
      -- Why the numbers are not available.
      reason text,
      -- Time of the latest numbers, and the numbers; null if there are none.
      as_of bigint,
      views bigint,
      reactions bigint,
      comments bigint,
      shares bigint,
      -- All samples, oldest first: each has its time and four numbers. Empty once they have expired.
      samples bigint[] not null default '{}'
    ) with (fillfactor = 80);
    create index ops_statistics_due on ops_statistics (channel_id, next_at) where next_at is not null;
    create index ops_statistics_channel_time on ops_statistics (channel_id, published_at);
    create index ops_statistics_owner_time on ops_statistics (owner_id, published_at);

    -- How far a channel's publications are copied from the read model, and when the next sample is due.
    create table ops_statistics_channel (
      channel_id text primary key,
      platform text not null,
      owner_id text not null,
      sequence bigint not null default 0,
      next_due bigint,
      -- Samples of publications before this time have expired.
      pruned_until bigint not null default 0
    ) with (fillfactor = 80);
    create index ops_statistics_channel_due on ops_statistics_channel (platform, next_due) where next_due is not null;

    -- Posts whose numbers someone asked for, or whose webhook outputs are notified.
    create table ops_statistics_post (
      post_id text primary key,
      asked_at timestamptz,
      notified_at bigint,
      -- When to tell; null if nothing has changed.
      due_at bigint
    );
    create index ops_statistics_post_due on ops_statistics_post (due_at) where due_at is not null;
  `,
};
