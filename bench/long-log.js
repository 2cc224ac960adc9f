/**
 * Fills event stores fast: the server itself inserts copies of published posts, each with its own ids. Their hash
 * chains are not valid, and only the given followers read them. For benches of costs that depend only on the size of
 * the store.
 */
import pg from 'pg';
import { openFeed } from './feed.js';

/** Number of copies of the template that one statement inserts. */
const CHUNK_COPIES = 100_000;

/**
 * Fills a store up to `events` events.
 * @param endpoints endpoints of a gateway that used this database and has stopped
 * @param posts number of published posts in the template that is copied, sent to the endpoints in turn
 * @param read followers of the log that read the copies instead of skipping them
 * @param addPosts adds these posts to a feed in another way, and returns the position of the last event
 * @param spreadMs time before now over which the copies are spread; if 0, each is a millisecond after the previous one
 */
export const fillStore = async (connectionString, endpoints, events, options = {}) => {
  const { posts = 1, read = [], spreadMs = 0 } = options;
  const { addPosts = (feed) => feed.add(endpoints, posts, { isPublished: true }) } = options;
  const feed = openFeed(connectionString);
  const before = await feed.store.readHead();
  const head = await addPosts(feed);
  await feed.close();
  const client = new pg.Client({ connectionString });
  await client.connect();
  client.on('error', () => undefined); // if a statement fails, the server ends before this connection
  const { rows } = await client.query(
    `select stream, revision, type, data, metadata from event_store.event where position > $1::bigint order by position`,
    [before],
  );
  const missing = Math.max(0, Math.ceil((events - Number(head) - 1) / rows.length));
  const chunk = Math.ceil(CHUNK_COPIES / posts);
  const time = spreadMs === 0 ? 't.at + n' : `t.at - ${spreadMs} + n * ${spreadMs} / ${missing}`;
  await client.query('set synchronous_commit to off');
  for (let from = 0; from < missing; from += chunk) {
    await client.query(
      `insert into event_store.event (position, stream, revision, id, type, data, metadata)
       select $1::bigint + n * $2 + t.place, ${renamed('t.stream', time)}, t.revision, gen_random_uuid(), t.type, ${renamed('t.data', time)}, ${renamed('t.metadata', time)}
       from generate_series($3::bigint, $4::bigint) n
       cross join json_to_recordset($5::json)
         t(place int, stream text, revision bigint, type text, data text, metadata text, post text, publication text, request text, post_number int, at bigint)
       order by 1`,
      [head, rows.length, from, Math.min(missing, from + chunk) - 1, JSON.stringify(templateOf(rows))],
    );
    if (from % (10 * chunk) === 0) console.log(`${from * rows.length} of ${events} events are in the store …`);
  }
  await client.query(`select setval('event_store.head', (select max(position) from event_store.event))`);
  await client.query(
    'update ops_checkpoint set position = (select max(position) from event_store.event), anchor = null where name <> all ($1)',
    [read],
  );
  await client.query('vacuum analyze event_store.event');
  await client.query('checkpoint');
  const { rows: sizes } = await client.query(
    `select count(*) as events, max(position) as head, pg_size_pretty(pg_total_relation_size('event_store.event')) as size from event_store.event`,
  );
  await client.end();
  return sizes[0];
};

/** Adds to each event its place and time, and its post's ids and number. */
const templateOf = (rows) => {
  const ids = new Map();
  rows
    .filter(({ type }) => type === 'PostAccepted')
    .forEach(({ data, metadata }, number) => {
      const { postId, targets } = JSON.parse(data);
      const { request_id: request } = JSON.parse(metadata);
      const names = { post: postId, publication: targets[0].publicationId, request };
      ids.set(postId, { ...names, post_number: number });
    });
  return rows.map((row, i) => ({
    ...row,
    place: i + 1,
    at: JSON.parse(row.metadata).at,
    ...ids.get(JSON.parse(row.data).postId),
  }));
};

/**
 * Returns SQL that replaces the copied post's ids in a text with those of its n-th copy, which ascend like new ids, and
 * its time with the copy's.
 */
const renamed = (text, time) => {
  const idOf = (id) => `left(${id}, -12) || lpad(to_hex(n * $2 + t.post_number), 12, '0')`;
  const named = ['t.post', 't.publication', 't.request'].reduce(
    (inner, id) => `replace(${inner}, ${id}, ${idOf(id)})`,
    text,
  );
  return `replace(${named}, t.at::text, (${time})::text)`;
};
