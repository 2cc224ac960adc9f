/**
 * Fills event stores fast: copies of one published post, each with ids of its own, are inserted by the server itself. Their hash
 * chains are not valid, and no read model has them: for benches of what grows with the store alone.
 */
import pg from 'pg';
import { openFeed } from './feed.js';

const CHUNK_POSTS = 100_000;

/**
 * Fills a store up to this number of events, and lets the read models pass them.
 * @param endpoints of a gateway on this database that has stopped
 */
export const fillStore = async (connectionString, endpoints, events) => {
  const feed = openFeed(connectionString);
  const head = await feed.add(endpoints, 1, { isPublished: true });
  await feed.close();
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(
    `select stream, revision, type, data, metadata from event_store.event where position > $1::bigint - 3 order by position`,
    [head],
  );
  const { postId, targets } = JSON.parse(rows[0].data);
  const ids = [postId, targets[0].publicationId];
  const missing = Math.ceil((events - Number(head) - 1) / rows.length);
  await client.query('set synchronous_commit to off');
  for (let from = 0; from < missing; from += CHUNK_POSTS) {
    await client.query(
      `insert into event_store.event (position, stream, revision, id, type, data, metadata)
       select $1::bigint + n * $2 + t.place, ${renamed('t.stream')}, t.revision, gen_random_uuid(), t.type, ${renamed('t.data')}, t.metadata
       from generate_series($3::bigint, $4::bigint) n
       cross join json_to_recordset($5::json) t(place int, stream text, revision bigint, type text, data text, metadata text)
       order by 1`,
      [
        ...[head, rows.length, from, Math.min(missing, from + CHUNK_POSTS) - 1],
        ...[JSON.stringify(rows.map((row, i) => ({ ...row, place: i + 1 }))), ...ids],
      ],
    );
    if (from % (10 * CHUNK_POSTS) === 0) console.log(`${from * rows.length} of ${events} events are in the store …`);
  }
  await client.query(`select setval('event_store.head', (select max(position) from event_store.event))`);
  await client.query(
    'update ops_checkpoint set position = (select max(position) from event_store.event), anchor = null',
  );
  await client.query('vacuum analyze event_store.event');
  await client.query('checkpoint');
  const { rows: sizes } = await client.query(
    `select count(*) as events, pg_size_pretty(pg_total_relation_size('event_store.event')) as size from event_store.event`,
  );
  await client.end();
  return sizes[0];
};

/** SQL: a text in which the ids of the copied post are replaced by those of the n-th copy; they ascend, as new ids do. */
const renamed = (text) => {
  const idOf = (parameter) => `left(${parameter}, -12) || lpad(to_hex(n), 12, '0')`;
  return `replace(replace(${text}, $6::text, ${idOf('$6')}), $7::text, ${idOf('$7')})`;
};
