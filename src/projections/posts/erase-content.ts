import type { OwnerContentErased } from '../../domain/owner/owner.events.js';
import { inRanges, isErased, monthAt, type OwnRows } from '../engine/erased-content.js';
import type { Tx } from '../engine/projection.js';
import { OWNER_INDEX, POST_INDEX } from './posts.tables.js';

/** SQL: an object with an error, in which the network's words are null if they were erased. */
const withoutWords = (of: string, month: string): string =>
  `case when ${of} -> 'error' ? 'platform_says' and ${isErased(month)}
     then jsonb_set(${of}, '{error,platform_says}', 'null') else ${of} end`;

const WITHDRAWN = `coalesce(u.withdrawal ->> 'month', ${monthAt("(u.withdrawal ->> 'requested_at')::bigint")})`;
const erredAt = (of: string): string => monthAt(`(${of} ->> 'error_at')::bigint`);

/** SQL: new values of the columns of a publication `u`. */
const PUBLICATION = {
  attempts: `(select coalesce(jsonb_agg(
    ${withoutWords('a', `coalesce(a ->> 'month', ${monthAt("(a ->> 'ended_at')::bigint")})`)} order by n), '[]')
    from jsonb_array_elements(u.attempts) with ordinality each(a, n))`,
  warnings: `case when ${isErased(`coalesce(u.warnings_month, ${monthAt('u.published_at')})`)} then '[]' else u.warnings end`,
  withdrawal: `(select ${withoutWords('w', erredAt('w'))} from (select case when ${isErased(WITHDRAWN)}
    then jsonb_set(u.withdrawal, '{reason}', 'null') else u.withdrawal end as w) reason)`,
  edit: withoutWords('u.edit', erredAt('u.edit')),
};

const OWN_POSTS: OwnRows = { table: 'post', of: 'owner_id', key: 'post_id', first: '' };

const ofOwner = `p.owner_id = $1 and p.post_id > $3 and p.post_id <= $4 and ($2::text[] is null or ${monthAt('p.accepted_at')} <= (select max(m) from unnest($2) m))`;

/**
 * Erases what people wrote in the given months from the rows of an owner's posts: texts, metadata, words, notes, reasons,
 * and what networks answered. Content is never older than its post.
 */
export const eraseContent = async (tx: Tx, { ownerId, months }: OwnerContentErased['data']): Promise<void> => {
  await tx.query(`${OWNER_INDEX} ${POST_INDEX}`); // a candidate does not have them yet
  await inRanges(tx, OWN_POSTS, ownerId, (...range) => eraseRange(tx, [ownerId, months, ...range]));
};

const eraseRange = async (tx: Tx, values: readonly [ownerId: string, ...unknown[]]): Promise<void> => {
  const isOld = isErased(`coalesce(p.content_month, ${monthAt('p.accepted_at')})`);
  await tx.query(
    `with erased as (
       update post p set metadata = null, excerpt = null, media_count = null, content_erased = true
       where ${ofOwner} and not p.content_erased and ${isOld} returning p.post_id)
     update post_words w set words = $5::tsvector from erased e where w.post_id = e.post_id`,
    [...values, values[0]],
  );
  // Also if there was no note: the text must not tell whether this version read the event before the erasure.
  await tx.query(
    `update post p set approval = json_build_object('state', a -> 'state', 'by', a -> 'by', 'at', a -> 'at', 'note', null)::text
     from (select post_id, approval::jsonb as a from post p where ${ofOwner} and approval is not null) of_post
     where p.post_id = of_post.post_id and ${isErased(monthAt("(a ->> 'at')::bigint"))}`,
    [...values],
  );
  const columns = Object.entries(PUBLICATION);
  await tx.query(
    `update publication u set ${columns.map(([name, value]) => `${name} = ${value}`).join(', ')}
     from post p where ${ofOwner} and u.post_id = p.post_id
       and (u.attempts @? '$[*].error.platform_says' or u.warnings <> '[]' or u.withdrawal is not null or u.edit is not null)`,
    [...values],
  );
};
