import type { HorizonMoved } from '../../domain/archive/archive.events.js';
import type { Tx } from '../engine/projection.js';
import { firstIdAt, ID_TOLERANCE_MS } from './list-posts.sql.js';
import { POST_INDEX } from './posts.tables.js';

/**
 * SQL that is true if something is still to happen to the publication `u`, or someone has to look at it: overviews list
 * it, however old it is.
 */
const IS_OPEN = `(u.state in ('planned', 'queued', 'publishing', 'in_doubt', 'withdrawing', 'withdraw_failed')
  or u.edit is not null or u.edit_failed_since is not null or u.duplicate_since is not null)`;

/** Deletes the rows of the posts that were accepted before a time, and keeps where their events are. */
export const letGoOfPosts = async (tx: Tx, { before }: HorizonMoved['data']): Promise<void> => {
  await tx.query(POST_INDEX); // a candidate does not have it yet
  await tx.query({
    name: 'let go of posts',
    text: `
      with old as (
        delete from post p where p.post_id < $2 and p.accepted_at < $1 and not p.is_planned
          and not exists (select from publication u where u.post_id = p.post_id and ${IS_OPEN})
        returning post_id, stream, revision),
      publications as (
        delete from publication u using old where u.post_id = old.post_id
        returning u.publication_id, u.post_id, u.sequence),
      words as (delete from post_words w using old where w.post_id = old.post_id),
      uses as (delete from media_use m using old where m.post_id = old.post_id),
      kept as (
        insert into archived_publication (publication_id, post_id, sequence)
        select publication_id, post_id, sequence from publications)
      insert into archived_post (post_id, stream, revision) select post_id, stream, revision from old`,
    values: [before, firstIdAt(before + ID_TOLERANCE_MS)],
  });
  await tx.query({
    name: 'move horizon of posts',
    text: `insert into horizon (name, before) values ('posts', $1)
           on conflict (name) do update set before = excluded.before`,
    values: [before],
  });
};
