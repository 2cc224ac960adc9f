/**
 * bench -- search: how long `GET /posts` takes for an owner with 1,000,000 posts (`--posts`), for each of its filters,
 * from the newest post and from one far back, over HTTP, one request at a time. The rows are written into the read
 * model itself: posts of twenty words, of which some are in every second post and others in one of three thousand; of a
 * hundred publications, one failed and one was dismissed, but none for long on the busiest channel. Options: --posts,
 * --requests (of each kind).
 */
import pg from 'pg';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { quantile } from './publishing.js';
import { seed, unlimitedProfile } from './seed.js';

const CHANNELS = 20;
const WORDS = 20_000;
/** Time between two posts, in ms: a million of them are a year's. */
const EVERY_MS = 30_000;
const CHUNK = 100_000;
const TARGET_MS = 300;

export const run = async (args) => {
  const posts = readOption(args, 'posts', 1_000_000);
  const requests = readOption(args, 'requests', 10);
  await withBenchEnvironment(unlimitedProfile(), async ({ startGateway, connectionString }) => {
    const gateway = await startGateway({ LOG_LEVEL: 'error' });
    const endpoints = await seed(gateway.url, OPERATOR_KEY, { endpoints: CHANNELS, channels: CHANNELS });
    const { ownerId } = endpoints[0];
    const { key } = await call(gateway, OPERATOR_KEY, `/owners/${ownerId}/rotate-key`, 'POST');
    const world = { ownerId, endpoints, posts, now: Date.now(), first: Date.now() - posts * EVERY_MS };
    await fill(connectionString, world);
    const figures = [];
    for (const [name, query] of Object.entries(questionsOf(world)))
      for (const [page, cursor] of Object.entries({ first: null, deep: cursorAt(world, 0.9) })) {
        const path = `/posts?limit=50&${query}${cursor === null ? '' : `&cursor=${cursor}`}`;
        figures.push({ name, page, ...(await ask(gateway, key, path, requests)) });
      }
    console.log(`\n${posts} posts of one owner, ${requests} requests of each kind, in ms:`);
    for (const { name, page, p50, most, found } of figures)
      console.log(`  ${name.padEnd(44)} ${page.padEnd(6)} p50 ${ms(p50)}   most ${ms(most)}   ${found} found`);
    const worst = Math.max(...figures.map(({ p50 }) => p50));
    console.log(`the slowest takes ${(worst / TARGET_MS).toFixed(2)} × ${TARGET_MS} ms`);
  });
};

const ms = (value) => value.toFixed(1).padStart(7);

/** Returns the cursor of a page that begins at a share of the way back from the newest post. */
const cursorAt = ({ now, posts }, share) => {
  const at = Math.floor(now - posts * EVERY_MS * share);
  return Buffer.from(`post_${at.toString(16).padStart(12, '0')}${'f'.repeat(20)}`).toString('base64url');
};

/** SQL: the word of a rank. */
const word = (rank) => `translate(left(md5((${rank})::text), 7), '0123456789', 'ghijklmnop')`;

const WORD_OF_RANK = { everywhere: 0, 'in 1 % of all posts': 120, rare: WORDS - 1 };
/** The words of {@link WORD_OF_RANK}, in its order. */
let written = [];

const questionsOf = ({ ownerId, endpoints }) => {
  const [frequent, usual, rare] = written;
  const busiest = `channel_id=${endpoints[0].channelId}`;
  const quietest = `channel_id=${endpoints.at(-1).channelId}`;
  return {
    'no filter': '',
    'a word that every second post has': `text=${frequent}`,
    'a word that 1 % of all posts have': `text=${usual}`,
    'a rare word': `text=${rare}`,
    'a word that no post has': 'text=nowhere',
    'two words': `text=${usual}+${rare}`,
    'the beginning of many words': `text=${frequent.slice(0, 3)}`,
    'the busiest channel': busiest,
    'the quietest channel': quietest,
    'state published': 'state=published',
    'state failed': 'state=failed',
    'state in doubt (none)': 'state=in_doubt',
    'state queued (none)': 'state=queued',
    'the busiest channel, failed': `${busiest}&state=failed`,
    'the quietest channel, published': `${quietest}&state=published`,
    'a person who posts much': 'by=key:key_much',
    'a person who posted a little': 'by=key:key_little',
    'a person who decides': 'by=key:key_decides',
    'the owner': `by=owner:${ownerId}`,
    'an endpoint': `by=endpoint:${endpoints[1].endpointId}`,
    'a frequent word on the quietest channel': `text=${frequent}&${quietest}`,
    'a usual word, failed': `text=${usual}&state=failed`,
    'a usual word of a person': `text=${usual}&by=key:key_little`,
    'a person on the busiest channel': `by=key:key_much&${busiest}`,
    'a person, failed': 'by=key:key_much&state=failed',
  };
};

/** Writes the posts, their words and their publications into the tables of the read model. */
const fill = async (connectionString, { ownerId, endpoints, posts, first }) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  client.on('error', () => undefined); // if a statement fails, the server ends before this connection
  const { rows: tables } = await client.query(
    `select relnamespace::regnamespace::text as schema from pg_class where relname = 'post_words' and relkind = 'r'`,
  );
  const [{ schema }] = tables;
  await client.query(`set search_path to ${schema}; set synchronous_commit to off`);
  const { rows } = await client.query(
    `select ${word('rank')} as word from unnest($1::int[]) with ordinality as r (rank, place) order by place`,
    [Object.values(WORD_OF_RANK)],
  );
  written = rows.map((row) => row.word);
  const { rows: kept } = await client.query(
    `select indexdef from pg_indexes where schemaname = '${schema}' and indexname like '%words_found'`,
  );
  await client.query('drop index if exists post_words_found');
  // The first channel gets a third of all posts, the last one a hundredth.
  await client.query(
    `create temporary table world as select * from unnest($1::text[], $2::text[], $3::text[])
    with ordinality as w (channel_id, project_id, endpoint_id, place)`,
    [
      endpoints.map((each) => each.channelId),
      endpoints.map((each) => each.projectId),
      endpoints.map((each) => each.endpointId),
    ],
  );
  for (let from = 0; from < posts; from += CHUNK) {
    const range = [from, Math.min(posts, from + CHUNK) - 1];
    await client.query(
      `create temporary table made as select n, w.channel_id, w.project_id, w.endpoint_id, w.place,
         lpad(to_hex($3::bigint + n * ${EVERY_MS}), 12, '0') || left(md5(n::text), 20) as id, $3::bigint + n * ${EVERY_MS} as at,
         case when n % 11 = 0 then 'key:key_much' when n % 100000 = 7 then 'key:key_little'
           when n % 101 = 0 then 'owner:' || $4 else 'endpoint:' || w.endpoint_id end as posted_by,
         case when n % 100 = 3 and (w.place > 1 or n < $5 / 100) then 'failed' when n % 100 = 5 then 'dismissed' else 'published' end as state
       from generate_series($1::bigint, $2::bigint) n
       join world w on w.place = 1 + floor(${CHANNELS} * ((n * 7919 % 10007) / 10007.0) ^ 2.5)`,
      [...range, first, ownerId, posts],
    );
    await client.query(
      `insert into post (post_id, endpoint_id, owner_id, stream, revision, accepted_at, posted_by, in_parts, excerpt,
         media_count, content_revision, content_erased, released_at, is_planned, approval, plan_event, version)
       select 'post_' || id, endpoint_id, $1, 'post-' || id, '0', at, posted_by, false, 'The post ' || n, 0, '0', false, at,
         false, case when n % 20 = 0 then '{"state":"approved","by":"key:key_decides","at":1,"note":null}' end, '', 1
       from made`,
      [ownerId],
    );
    await client.query(
      `insert into post_words (post_id, words)
       select 'post_' || id, array_to_tsvector(array_agg(distinct w) || $1::text)
       from made, lateral (select ${word(`floor(${WORDS} * random() ^ 3)::int + 0 * i`)} as w from generate_series(1, 20 + 0 * n::int) i) words
       group by id`,
      [ownerId],
    );
    await client.query(
      `insert into publication (publication_id, post_id, owner_id, channel_id, project_id, platform, sequence, place, state,
         attempts, message_ids, urls, warnings, published_at, duplicates, content_version)
       select 'pub_' || id, 'post_' || id, $1, channel_id, project_id, 'telegram', n, 0, state, '[]', '["1"]', '[]', '[]',
         at, '[]', 1 from made`,
      [ownerId],
    );
    await client.query('drop table made');
  }
  for (const { indexdef } of kept) await client.query(indexdef);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
  console.log(`${posts} posts are in the read model`);
};

const ask = async (gateway, key, path, requests) => {
  const times = [];
  let found = '';
  for (let i = -2; i < requests; i++) {
    const startedAt = performance.now();
    const { items, next } = await call(gateway, key, path);
    if (i >= 0) times.push(performance.now() - startedAt);
    found = `${items.length}${next === null ? '' : '+'}`;
  }
  return { p50: quantile(times, 0.5), most: quantile(times, 1), found };
};

const call = async ({ url }, key, path, method = 'GET') => {
  const answer = await fetch(`${url}/manage/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
};
