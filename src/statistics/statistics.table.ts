import { Inject, Injectable } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import type { Instant } from '../kernel/clock.js';
import type { Numbers } from '../platforms/publisher.js';
import { withTransaction } from '../postgres/pool.js';
import { POOL } from '../postgres/tokens.js';
import { DISCOVERY } from '../projections/discovery/discovery.tables.js';
import { POSTS, type PublicationViewState } from '../projections/posts/posts.tables.js';
import { SCHEDULE } from '../projections/publish-schedule/publish-schedule.tables.js';
import { SAMPLE_MINUTES } from './numbers.js';

/** A publication whose numbers are to be read, with what the read model shows of it. */
export interface SampledPublication extends Numbers {
  readonly publication_id: string;
  readonly post_id: string;
  readonly channel_id: string;
  readonly project_id: string;
  /** Null if it is not known to be published. */
  readonly published_at: Instant | null;
  readonly address: Readonly<Record<string, string>> | null;
  readonly next_at: Instant | null;
  readonly as_of: Instant | null;
  /** As the read model shows it now; null if it no longer does. */
  readonly shown: {
    readonly state: PublicationViewState;
    readonly published_at: Instant | null;
    readonly message_ids: readonly string[];
  } | null;
}

/** The result of a sample. */
export interface Sample {
  readonly publication_id: string;
  readonly published_at: Instant | null;
  readonly address: Readonly<Record<string, string>> | null;
  readonly next_at: Instant | null;
  /** Null if nothing was asked: only the schedule changes. */
  readonly state: 'ok' | 'unavailable' | 'gone' | null;
  readonly reason: string | null;
  /** Null unless the numbers were read: the last ones stay. */
  readonly numbers: Numbers | null;
}

/** Posts whose numbers have changed, and how often their webhook outputs are notified at most. */
export interface NumberChanges {
  readonly posts: readonly string[];
  readonly at: Instant;
  readonly intervalMs: number;
}

/** Number of publications of a channel that a statement looks at, and that it copies at most. */
const PER_CHANNEL = 20;
const COPIED_AT_ONCE = 500;
const PRUNED_CHANNELS = 20;
/** How old a publication may be for the channel's address to be still the one that it was published to, in minutes. */
const FRESH_MINUTES = 1;

const UNSETTLED = `('queued', 'publishing')`;

/**
 * SQL: the columns of a new row, from a publication `p` and the state of its channel. $1: now, $2: length of a minute,
 * $3: minutes of the samples.
 */
const newRow = (state: string): string => `
  p.publication_id, p.post_id, p.channel_id, p.project_id, p.owner_id, p.published_at,
  case when p.published_at > $1::bigint - ${FRESH_MINUTES} * $2::bigint then ${state} -> 'address' end,
  case when p.published_at is null then $1::bigint + ($3::bigint[])[1] * $2::bigint else (
    select min(p.published_at + m * $2::bigint) from unnest($3::bigint[]) m
    where p.published_at + m * $2::bigint > $1::bigint) end`;

const COLUMNS = 'publication_id, post_id, channel_id, project_id, owner_id, published_at, address, next_at';

/** The tables `ops_statistics…`: the publications whose numbers are read, and their samples. */
@Injectable()
export class StatisticsTable {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * Copies publications that have ended from the read model, in the order of each channel, so that publishing itself
   * writes nothing. Those that failed, or are in doubt, are looked at again later: they may be published yet.
   * @param platforms networks that give numbers
   * @returns true if there are more
   */
  async copy(now: Instant, minuteMs: number, platforms: readonly string[]): Promise<boolean> {
    const { rows } = await this.pool.query<{ hasMore: boolean }>({
      name: 'copy publications',
      text: `
        with page as (
          select p.*, c.state, c.platform as network
          from ${SCHEDULE}.channel s
          left join ops_statistics_channel k on k.channel_id = s.channel_id
          join ${DISCOVERY}.channel c on c.channel_id = s.channel_id
          cross join lateral (
            select * from (
              select x.*, bool_or(x.ended is null) over (order by x.sequence) as waits from (
                select publication_id, post_id, channel_id, project_id, owner_id, published_at, sequence,
                  case when state not in ${UNSETTLED} then state end as ended
                from ${POSTS}.publication
                where channel_id = c.channel_id and sequence > coalesce(k.sequence, 0)
                order by sequence limit ${PER_CHANNEL}) x) x
            where not waits) p
          where s.last_sequence > coalesce(k.sequence, 0)
          limit ${COPIED_AT_ONCE}),
        copied as (
          insert into ops_statistics (${COLUMNS})
          select ${newRow('p.state')} from page p
          where p.published_at is not null or p.ended in ('failed', 'in_doubt')
          on conflict do nothing
          returning channel_id, next_at),
        channels as (
          insert into ops_statistics_channel as k (channel_id, platform, owner_id, sequence, next_due)
          select page.channel_id, min(network), min(page.owner_id), max(page.sequence),
            case when min(network) = any($4) then least(
              min(known.next_at), (select min(next_at) from copied d where d.channel_id = page.channel_id)) end
          from page left join ops_statistics known on known.publication_id = page.publication_id -- asked for before
          group by page.channel_id
          on conflict (channel_id) do update
            set sequence = excluded.sequence, next_due = least(k.next_due, excluded.next_due))
        select coalesce(sum(n) = ${COPIED_AT_ONCE} or max(n) = ${PER_CHANNEL}, false) as "hasMore"
        from (select count(*) as n from page group by channel_id) c`,
      values: [now, minuteMs, SAMPLE_MINUTES, platforms],
    });
    return rows[0]!.hasMore;
  }

  /** After a recovery, numbers that were given away are given again: begins at the last that the read model shows. */
  async rewind(): Promise<void> {
    await this.pool.query(`
      update ops_statistics_channel k set sequence = last.sequence
      from (select c.channel_id, coalesce((select max(sequence) from ${POSTS}.publication p where p.channel_id = c.channel_id), 0) as sequence
            from ops_statistics_channel c) last
      where last.channel_id = k.channel_id and k.sequence > last.sequence`);
  }

  /** Returns a channel's publications whose numbers are due, longest due first. */
  async listDue(channelId: string, now: Instant, limit: number): Promise<readonly SampledPublication[]> {
    return this.read(`select * from ops_statistics where channel_id = $1 and next_at <= $2 order by next_at limit $3`, [
      channelId,
      now,
      limit,
    ]);
  }

  /** Returns publications by id; copies those that are published but not copied yet. */
  async listForSample(ids: readonly string[], now: Instant, minuteMs: number): Promise<readonly SampledPublication[]> {
    await this.pool.query({
      name: 'copy some publications',
      text: `insert into ops_statistics (${COLUMNS})
             select ${newRow('c.state')} from ${POSTS}.publication p join ${DISCOVERY}.channel c on c.channel_id = p.channel_id
             where p.publication_id = any($4) and p.published_at is not null
             on conflict do nothing`,
      values: [now, minuteMs, SAMPLE_MINUTES, ids],
    });
    return this.read('select * from ops_statistics where publication_id = any($1)', [ids]);
  }

  private async read(rows: string, values: readonly unknown[]): Promise<readonly SampledPublication[]> {
    const { rows: found } = await this.pool.query<{ row: SampledPublication }>(
      `select to_jsonb(s) - 'samples' || jsonb_build_object('shown', case when p.publication_id is not null then
         jsonb_build_object('state', p.state, 'published_at', p.published_at, 'message_ids', p.message_ids)
         -- Archived (D-101): its numbers stay, and are not asked for again.
         when a.publication_id is not null then
         jsonb_build_object('state', 'published', 'published_at', s.published_at, 'message_ids', '[]'::jsonb) end) as row
       from (${rows}) s left join ${POSTS}.publication p on p.publication_id = s.publication_id
       left join ${POSTS}.archived_publication a on a.publication_id = s.publication_id`,
      [...values],
    );
    return found.map(({ row }) => row);
  }

  /**
   * Stores samples and, in the same transaction, notes which posts they change.
   * @param expiredBefore publications before this time keep their last sample only
   */
  async store(samples: readonly Sample[], expiredBefore: Instant, changes: NumberChanges): Promise<void> {
    if (samples.length === 0) return;
    await withTransaction(this.pool, async (client) => {
      await client.query({
        name: 'store samples',
        text: `
          update ops_statistics s set
            published_at = x.published_at, address = coalesce(x.address, s.address), next_at = x.next_at,
            state = coalesce(x.state, s.state),
            reason = case when x.state is null then s.reason else x.reason end,
            as_of = case when x.numbers is null then s.as_of else $2::bigint end,
            views = case when x.numbers is null then s.views else (x.numbers ->> 'views')::bigint end,
            reactions = case when x.numbers is null then s.reactions else (x.numbers ->> 'reactions')::bigint end,
            comments = case when x.numbers is null then s.comments else (x.numbers ->> 'comments')::bigint end,
            shares = case when x.numbers is null then s.shares else (x.numbers ->> 'shares')::bigint end,
            samples = case when x.numbers is null then s.samples when x.published_at < $3::bigint then '{}' else s.samples || array[
              $2::bigint, (x.numbers ->> 'views')::bigint, (x.numbers ->> 'reactions')::bigint,
              (x.numbers ->> 'comments')::bigint, (x.numbers ->> 'shares')::bigint] end
          from jsonb_to_recordset($1) x(publication_id text, published_at bigint, address jsonb, next_at bigint, state text,
            reason text, numbers jsonb)
          where s.publication_id = x.publication_id`,
        values: [JSON.stringify(samples), changes.at, expiredBefore],
      });
      await this.noteChanges(client, changes);
    });
  }

  /** Forgets publications that the read model no longer shows, or that will not be published any more. */
  async forget(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.pool.query('delete from ops_statistics where publication_id = any($1)', [ids]);
  }

  /** Sets when a channel is due next: with its next publication, but not before a time. */
  async schedule(channelId: string, earliest: Instant): Promise<void> {
    await withTransaction(this.pool, async (client) => {
      // Locked first, so that what is copied at the same time is seen.
      await client.query('select from ops_statistics_channel where channel_id = $1 for update', [channelId]);
      await client.query(
        `update ops_statistics_channel set next_due = case when due.at is not null then greatest($2, due.at) end
         from (select min(next_at) as at from ops_statistics where channel_id = $1 and next_at is not null) due
         where channel_id = $1`,
        [channelId, earliest],
      );
    });
  }

  /**
   * Removes samples of publications before a time, of some channels.
   * @returns false if there was nothing more to look at
   */
  async prune(before: Instant): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `with page as (
         select k.channel_id, s.publication_id, s.published_at
         from (
           select channel_id, pruned_until from ops_statistics_channel where pruned_until < $1
           limit ${PRUNED_CHANNELS} for update skip locked) k
         left join lateral (
           select publication_id, published_at from ops_statistics s
           where s.channel_id = k.channel_id and s.published_at >= k.pruned_until and s.published_at < $1
           order by s.published_at limit ${PER_CHANNEL}) s on true),
       pruned as (
         update ops_statistics s set samples = '{}' from page
         where s.publication_id = page.publication_id and s.samples <> '{}')
       update ops_statistics_channel k
       set pruned_until = case when each.count < ${PER_CHANNEL} then $1 else greatest(each.last, k.pruned_until + 1) end
       from (select channel_id, count(publication_id), max(published_at) as last from page group by channel_id) each
       where k.channel_id = each.channel_id`,
      [before],
    );
    return (rowCount ?? 0) > 0;
  }

  /**
   * Notes posts whose numbers have changed, if a webhook output wants to know. If a note is already due, its time moves by
   * a millisecond, so that {@link recordNotified} notices a change after the numbers were read.
   */
  private async noteChanges(client: PoolClient, { posts, at, intervalMs }: NumberChanges): Promise<void> {
    if (posts.length === 0) return;
    await client.query({
      name: 'note changed numbers',
      text: `
        insert into ops_statistics_post as s (post_id, due_at)
        select distinct p.post_id, $2::bigint from ${POSTS}.publication p
        join ${DISCOVERY}.webhook_output o on o.project_id = p.project_id
        where p.post_id = any($1) and o.disabled_by is null and 'post.statistics' = any(o.kinds)
        order by 1
        on conflict (post_id) do update
          set due_at = coalesce(s.due_at + 1, greatest($2::bigint, s.notified_at + $3::bigint))`,
      values: [posts, at, intervalMs],
    });
  }

  /** Returns posts whose webhook outputs are to be notified now. */
  async listNews(
    now: Instant,
    limit: number,
  ): Promise<readonly { readonly postId: string; readonly dueAt: Instant }[]> {
    const { rows } = await this.pool.query<{ postId: string; dueAt: bigint }>(
      `select post_id as "postId", due_at as "dueAt" from ops_statistics_post where due_at <= $1 order by due_at limit $2`,
      [now, limit],
    );
    return rows.map(({ postId, dueAt }) => ({ postId, dueAt: Number(dueAt) }));
  }

  /**
   * Records that a post's webhook outputs were notified.
   * @param dueAt from {@link listNews}; if the numbers have changed since, the post is due again after the interval
   */
  async recordNotified(postId: string, dueAt: Instant, now: Instant, intervalMs: number): Promise<void> {
    await this.pool.query(
      `update ops_statistics_post
       set notified_at = $3::bigint, due_at = case when due_at <> $2 then $3::bigint + $4::bigint end
       where post_id = $1`,
      [postId, dueAt, now, intervalMs],
    );
  }

  /** Forgets what no longer limits anything: posts that were notified before a time, and asked for over an hour ago. */
  async pruneNotes(notifiedBefore: Instant, limit: number): Promise<number> {
    const { rowCount } = await this.pool.query(
      `delete from ops_statistics_post where post_id in (
         select post_id from ops_statistics_post
         where due_at is null and coalesce(notified_at, 0) < $1
           and coalesce(asked_at, '-infinity') < clock_timestamp() - interval '1 hour' limit $2)`,
      [notifiedBefore, limit],
    );
    return rowCount ?? 0;
  }

  /**
   * Records that someone asks for a post's numbers.
   * @returns 0, or the seconds after which to ask again, because someone did in the last minute
   */
  async claimRequest(postId: string): Promise<number> {
    const { rows } = await this.pool.query<{ seconds: number }>(
      `with claimed as (
         insert into ops_statistics_post as s (post_id, asked_at) values ($1, clock_timestamp())
         on conflict (post_id) do update set asked_at = excluded.asked_at
           where s.asked_at is null or s.asked_at < clock_timestamp() - interval '1 minute'
         returning 0 as seconds)
       select seconds from claimed
       union all
       select greatest(1, ceil(60 - extract(epoch from clock_timestamp() - asked_at)))::int
       from ops_statistics_post where post_id = $1 and not exists (select from claimed)`,
      [postId],
    );
    return rows[0]?.seconds ?? 1;
  }
}
