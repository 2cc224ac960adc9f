/**
 * bench -- backlog --sampled: compares the publishing rate of a worker in a gateway that reads the numbers of so many
 * publications with that of a worker in a gateway that reads none (STATISTICS_DAYS=0), on VK, in alternating rounds with
 * a new worker per round. In both, an API process edits published posts and takes others back (--changes a second).
 * The publications are copies, in the read model, of one that each channel published; they are as old as 30 days and
 * have the samples of their age. Their next samples are spread over two days (--within, in seconds), which makes as many
 * a second as publications have that are spread over the 30 days. As PACING is off, no pace delays them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SAMPLE_MINUTES } from '../dist/statistics/numbers.js';
import { measureRound } from './backlog.js';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { line, median, prepareChannels } from './publishing.js';
import { unlimitedProfile } from './seed.js';

const MIB = 1_048_576;
const DAY_MS = 86_400_000;
const OLDEST_DAYS = 30;
/** Connections for edits and take-backs. */
const LANES = 8;

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 3);
  const seconds = readOption(args, 'seconds', 15);
  const sampled = readOption(args, 'sampled', 1_000_000);
  const rate = readOption(args, 'changes', 20);
  const within = readOption(args, 'within', (OLDEST_DAYS * DAY_MS) / SAMPLE_MINUTES.length / 1_000);

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn('vk');
    const prepare = (databaseName, days) =>
      prepareChannels(environment, network, {
        databaseName,
        platforms: ['vk'],
        settings: { VK_API_URL: network.url, STATISTICS_DAYS: days },
      });
    const sides = { without: await prepare('none', '0'), with: await prepare('sampled', '90') };
    const measure = (side) =>
      measureRound(side, { environment, network, seconds, beside: () => startChanges(side, network, rate, seconds) });
    for (const side of Object.values(sides)) {
      await side.feed.add(side.endpoints, side.endpoints.length);
      await measure(side); // warms up, and publishes on each channel
    }
    await addSampled(sides.with, sampled, within * 1_000);

    const results = { without: [], with: [] };
    for (let round = 1; round <= rounds; round++) {
      const names = round % 2 === 1 ? ['without', 'with'] : ['with', 'without'];
      for (const name of names) {
        results[name].push(await measure(sides[name]));
        console.log(`round ${round}/${rounds}  ${name.padEnd(7)}  ${figures(results[name].at(-1))}`);
      }
    }
    const [without, beside] = [median(results.without), median(results.with)];
    console.log(`\nmedians of ${rounds} rounds`);
    console.log(`without numbers  ${figures(without)}\nof ${sampled}  ${figures(beside)}`);
    const cpu = ({ worker, postgres }) => worker + postgres;
    console.log(
      `ratio      rate beside ${sampled} publications whose numbers are read to that without: ` +
        `${(beside.rate / without.rate).toFixed(2)} ×   CPU each ${(cpu(beside) / cpu(without)).toFixed(2)} ×   ` +
        `memory ${(beside.memory / without.memory).toFixed(2)} ×`,
    );
  });
};

const figures = (result) =>
  `${line(result)}   memory ${(result.memory / MIB).toFixed(0)} MiB   ${result.changes.toFixed(1)} changes/s   ` +
  `${result.samples.toFixed(1)} samples/s`;

/** Edits posts and takes others back, in turn, at a rate. Counts the messages that the network has changed. */
const startChanges = async ({ startGateway, connectionString }, network, rate, seconds) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(
    `select post_id from posts.publication where state = 'published' and edit is null order by post_id desc limit $1`,
    [Math.ceil(rate * seconds * 2)],
  );
  const api = await startGateway('api');
  const before = await countChanges(network);
  const startedAt = Date.now();
  let isOn = true;
  let next = 0;
  const lane = async () => {
    for (let n = next++; isOn && n < rows.length; n = next++) {
      await sleep(Math.max(0, startedAt + (n * 1_000) / rate - Date.now()));
      const post = `${api.url}/manage/v1/posts/${rows[n].post_id}`;
      if (!isOn) return;
      if (n % 2 === 0) await send('PUT', `${post}/content`, { text: `Post ${n} of the bench, corrected.` });
      else await send('POST', `${post}/withdraw`, {});
    }
  };
  const lanes = Promise.all(Array.from({ length: LANES }, lane));
  return async () => {
    isOn = false;
    await lanes;
    const took = (Date.now() - startedAt) / 1_000;
    const changes = ((await countChanges(network)) - before) / took;
    const taken = await client.query('select count(*)::int as n from ops_statistics where as_of >= $1', [startedAt]);
    await client.end();
    await api.stop();
    return { changes, samples: taken.rows[0].n / took };
  };
};

const send = async (method, url, body) => {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
};

const countChanges = async ({ url }) => (await (await fetch(`${url}/_control/changes?after=0`)).json()).items.length;

/** Adds publications whose numbers are read to the read model and to the statistics. */
const addSampled = async ({ connectionString }, count, withinMs) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  client.on('error', () => undefined); // if a statement fails, the server ends before this connection
  const { rows: tables } = await client.query(
    `select relnamespace::regnamespace::text as schema from pg_class where relname = 'post_words' and relkind = 'r'`,
  );
  await client.query('set synchronous_commit to off');
  const now = Date.now();
  await client.query(
    `create temporary table made as
     select p.*, lpad(to_hex(at), 12, '0') || left(md5(n::text), 20) as id, n, at, c.state -> 'address' as address,
       (select count(*)::int from unnest($4::bigint[]) m where m * 60000 <= $2 - at) as taken
     from (select n, $2 - (n * 7919 % $1 * $3 / $1)::bigint as at, n % (select count(*) from discovery.channel) as k
           from generate_series(1, $1::bigint) n) g
     join (select *, row_number() over () - 1 as k from (
             select distinct on (channel_id) * from posts.publication where state = 'published' and withdrawal is null
             order by channel_id, sequence) each) p using (k)
     join discovery.channel c using (channel_id)`,
    [count, now, OLDEST_DAYS * DAY_MS, SAMPLE_MINUTES],
  );
  // Sequence numbers below all others: they are already copied.
  await client.query(
    `insert into ${tables[0].schema}.publication (publication_id, post_id, owner_id, channel_id, project_id, platform,
       sequence, place, state, attempts, message_ids, urls, warnings, published_at, duplicates, content_version)
     select 'pub_' || id, 'post_' || id, owner_id, channel_id, project_id, platform, -n, place, state, attempts, message_ids,
       urls, warnings, at, duplicates, content_version from made`,
  );
  await client.query(
    `insert into ops_statistics (publication_id, post_id, channel_id, project_id, owner_id, published_at, address, next_at,
       state, as_of, views, reactions, comments, shares, samples)
     select 'pub_' || id, 'post_' || id, channel_id, project_id, owner_id, at, address,
       $1::bigint + floor(random() * $2)::bigint, 'ok', $1::bigint - 60000, 1000, 20, 3, 1,
       array_fill(1000::bigint, array[5 * taken]) from made`,
    [now, withinMs],
  );
  await client.query(
    `insert into ops_statistics_channel as k (channel_id, platform, owner_id, next_due)
     select channel_id, 'vk', min(owner_id), min(next_at) from ops_statistics where next_at is not null group by channel_id
     on conflict (channel_id) do update set next_due = excluded.next_due`,
  );
  const { rows } = await client.query(
    `select count(*)::int as n, pg_total_relation_size('ops_statistics') as bytes from ops_statistics`,
  );
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
  const each = (Number(rows[0].bytes) / rows[0].n).toFixed(0);
  console.log(
    `${rows[0].n} publications have numbers, ${each} bytes each, after ${((Date.now() - now) / 1_000).toFixed(0)} s`,
  );
};
