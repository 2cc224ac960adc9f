import type { QueryConfig } from 'pg';
import { boundedList, IS_CUT } from '../list-bounds.js';
import {
  BYTES,
  postConditions,
  type PostFilter,
  type PostRange,
  publicationConditions,
  selectShown,
} from './list-posts.sql.js';
import { POSTS } from './posts.tables.js';

/**
 * Returns a statement that lists posts by `publish_at`, earliest first. Posts that are waiting for approval and have no
 * time come last. `since` (inclusive) and `until` (exclusive) apply to `publish_at` (D-65).
 */
export const calendarStatement = (
  filter: PostFilter,
  { before: after, limit, bytes = BYTES }: PostRange,
): QueryConfig => {
  const values: unknown[] = [limit];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['(p.publish_at is not null or p.is_planned)', ...postConditions(filter, bind)];
  if (filter.state === 'planned') conditions.push('p.is_planned');
  if (filter.since !== undefined) conditions.push(`p.publish_at >= ${bind(filter.since)}`);
  if (filter.until !== undefined) conditions.push(`p.publish_at < ${bind(filter.until)}`);
  const ofPublication = publicationConditions(filter, bind);
  if (ofPublication.length > 0)
    conditions.push(`exists (
      select from ${POSTS}.publication x where x.post_id = p.post_id and ${ofPublication.join(' and ')})`);
  if (after !== null) {
    const [publishAt, id] = after.split('/') as [string, string];
    if (publishAt === '') conditions.push(`p.publish_at is null and p.post_id > ${bind(id)}`);
    else
      conditions.push(
        `(p.publish_at is null or (p.publish_at, p.post_id) > (${bind(publishAt)}::bigint, ${bind(id)}))`,
      );
  }
  const select = `
    select p.*, ${bytes} as bytes from ${POSTS}.post p
    where ${conditions.join(' and ')} order by p.publish_at, p.post_id limit $1`;
  const text = `${boundedList(select, 'publish_at, l.post_id')}
    select ${selectShown}, ${IS_CUT} from shown p order by p.publish_at, p.post_id`;
  return { text, values };
};
