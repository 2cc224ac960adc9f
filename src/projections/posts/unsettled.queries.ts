import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { startOfMonth } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { monthAt } from '../engine/erased-content.js';
import { DELIVERIES } from '../webhook-deliveries/webhook-deliveries.tables.js';
import { POSTS } from './posts.tables.js';

/** A month whose content cannot be erased yet. */
export interface NeededMonth {
  /** UTC: `2026-11`. */
  readonly month: string;
  /** Number of posts that are not settled. */
  readonly posts: number;
  /** Number of webhook deliveries that have not ended. */
  readonly deliveries: number;
}

/** SQL that is true if something is still to happen to a publication of the post `p`. */
const HAS_UNSETTLED = `exists (
  select from ${POSTS}.publication u where u.post_id = p.post_id
    and (u.state in ('planned', 'queued', 'publishing', 'in_doubt', 'withdrawing')
      or (u.edit is not null and not (u.edit ->> 'has_failed')::boolean)))`;

/** Finds content that is still needed to publish, edit or deliver something (D-100). */
@Injectable()
export class UnsettledContent {
  constructor(@Inject(POOL) private readonly pool: Pick<Pool, 'query'>) {}

  /**
   * Returns those of the months in which an owner's unsettled posts have content: the months of their acceptance and of
   * their newest content, and once they are released all that follow, because of their translations.
   */
  async findMonths(ownerId: string, months: readonly string[]): Promise<readonly NeededMonth[]> {
    const { rows } = await this.pool.query<NeededMonth>(
      `with month as (select * from unnest($2::text[]) m(month)),
       unsettled as (
         select ${monthAt('p.accepted_at')} as accepted, p.content_month as content, ${monthAt('p.released_at')} as released
         from ${POSTS}.post p
         where p.owner_id = $1 and ${monthAt('p.accepted_at')} <= (select max(month) from month) and (p.is_planned or ${HAS_UNSETTLED})),
       posts as (
         select month, count(*)::int as posts from month join unsettled u
           on month = u.accepted or month = u.content or month >= u.released group by month),
       deliveries as (
         select ${monthAt('d.created_at')} as month, count(*)::int as deliveries
         from ${DELIVERIES}.output o join ${DELIVERIES}.delivery d using (output_id)
         where o.owner_id = $1 and o.disabled_by is null and d.state = 'pending' group by 1)
       select month, coalesce(posts, 0) as posts, coalesce(deliveries, 0) as deliveries
       from month left join posts using (month) left join deliveries using (month)
       where posts is not null or deliveries is not null order by month`,
      [ownerId, months],
    );
    return rows;
  }

  /** Counts what is not settled of the posts and deliveries of a month, of all owners; null if nothing is. */
  async findInMonth(month: string): Promise<NeededMonth | null> {
    const start = Date.parse(`${month}-01T00:00:00Z`);
    const { rows } = await this.pool.query<NeededMonth>(
      `select $3 as month,
         (select count(*)::int from ${POSTS}.post p where p.accepted_at >= $1 and p.accepted_at < $2
           and (p.is_planned or ${HAS_UNSETTLED})) as posts,
         (select count(*)::int from ${DELIVERIES}.delivery d join ${DELIVERIES}.output o using (output_id)
           where d.created_at >= $1 and d.created_at < $2 and o.disabled_by is null and d.state = 'pending') as deliveries`,
      [start, startOfMonth(start, 1), month],
    );
    const [found] = rows;
    return found!.posts + found!.deliveries === 0 ? null : found!;
  }

  /** Lists the posts whose newest content is of a month that is not among these. Their files are still needed. */
  async findFilesOfOthers(mediaIds: readonly string[], months: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ media_id: string }>(
      `select distinct media_id from ${POSTS}.media_use m join ${POSTS}.post p using (post_id)
       where m.media_id = any($1) and coalesce(p.content_month, ${monthAt('p.accepted_at')}) <> all($2)`,
      [mediaIds, months],
    );
    return new Set(rows.map(({ media_id }) => media_id));
  }
}
