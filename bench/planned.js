/**
 * bench -- planned: compares a gateway that holds 1,000,000 planned posts with one that holds none: publishing and
 * accepting in alternating rounds, with a new worker per round, and how long that worker takes to start. Then 1,000
 * planned posts a second become due on the first gateway: the time from when a post is due until a reader of the log
 * receives its release.
 */
import pg from 'pg';
import { fillBacklog, measureRound } from './backlog.js';
import { readOption, withBenchEnvironment } from './environment.js';
import { line, median, prepareChannels, quantile, until, watchProjections } from './publishing.js';
import { POST_BODY, unlimitedProfile } from './seed.js';

const MIB = 1_048_576;
const DAY_MS = 86_400_000;
/** Days from now between which the comparison's planned posts are due, so that none is released. */
const PLANNED_FOR_DAYS = [10, 360];
const WARM_UP_S = 2;
/** Maximum lag of an idle worker's sagas, in positions. */
const IDLE_LAG = 100;
/** Time from the start of planning to the first due time: ms per post, and the minimum in ms. */
const LEAD_MS = { each: 1, least: 3_000 };

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 5);
  const seconds = readOption(args, 'seconds', 6);
  const planned = readOption(args, 'planned', 1_000_000);
  const few = readOption(args, 'few', 1_000);
  const connections = readOption(args, 'connections', 64);
  const rate = readOption(args, 'release-rate', 1_000);
  const releaseSeconds = readOption(args, 'release-seconds', 10);

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn();
    const sides = {
      without: await prepareChannels(environment, network, { databaseName: 'none' }),
      with: await prepareChannels(environment, network, { databaseName: 'planned' }),
    };
    await fillBacklog(sides.with, planned, 1, { dueAt: dueInDays(planned) });
    for (const side of Object.values(sides)) {
      await letSagasCatchUp(side);
      await fillBacklog(side, few, 1);
      await cleanUp(side);
    }

    const publish = async (side) => {
      const startedAt = performance.now();
      const worker = await side.startGateway('worker');
      const start = performance.now() - startedAt;
      await worker.stop();
      return { ...(await measureRound(side, { environment, network, seconds })), start };
    };
    const published = await playRounds(sides, rounds, publish);
    // Runs before the rounds of accepting, which leave a backlog that the worker would publish at the same time.
    const delays = await measureRelease(sides.with, { rate, seconds: releaseSeconds });
    const generateLoad = environment.startGenerator('load.js');
    const accepted = await playRounds(sides, rounds, async ({ startGateway, endpoints }) => {
      const { port, stop } = await startGateway('api');
      const job = { port, connections, targets: endpoints, body: POST_BODY };
      await generateLoad({ ...job, seconds: Math.min(WARM_UP_S, seconds) });
      const { answered, seconds: took } = await generateLoad({ ...job, seconds });
      await stop();
      return { accepted: answered / took };
    });

    const [none, many] = [both('without'), both('with')];
    function both(name) {
      return { ...median(published[name]), ...median(accepted[name]) };
    }
    console.log(`\nmedians of ${rounds} rounds`);
    console.log(`none       ${figures(none)}\n${planned} planned   ${figures(many)}`);
    const ratio = (key) => `${(many[key] / none[key]).toFixed(2)} ×`;
    console.log(
      `release    ${delays.length} posts at ${rate}/s: p50 ${quantile(delays, 0.5).toFixed(0)} ms   ` +
        `p99 ${quantile(delays, 0.99).toFixed(0)} ms   longest ${quantile(delays, 1).toFixed(0)} ms`,
    );
    console.log(
      `ratio      with ${planned} planned posts to none: publishing ${ratio('rate')}   accepting ${ratio('accepted')}   ` +
        `memory ${ratio('memory')}   start ${ratio('start')}`,
    );
  });
};

/** Measures each side in alternating rounds; the order alternates as well. */
const playRounds = async (sides, rounds, measure) => {
  const results = { without: [], with: [] };
  for (let round = 1; round <= rounds; round++) {
    const names = round % 2 === 1 ? ['without', 'with'] : ['with', 'without'];
    for (const name of names) {
      results[name].push(await measure(sides[name]));
      const shown = Object.entries(results[name].at(-1)).map(([key, value]) => `${key} ${value.toFixed(0)}`);
      console.log(`round ${round}/${rounds}  ${name.padEnd(8)} ${shown.join('   ')}`);
    }
  }
  return results;
};

/**
 * Runs a worker until its sagas have followed the log to its end. The transparency log takes a minute for a million
 * posts; the rounds would otherwise measure that as well.
 */
const letSagasCatchUp = async ({ connectionString, feed, startGateway }) => {
  const worker = await startGateway('worker');
  const head = await feed.store.readHead();
  const positions = await watchProjections(connectionString);
  await until(async () => (await positions.readSagaPosition()) >= head - BigInt(IDLE_LAG));
  await worker.stop();
  await positions.close();
};

/**
 * Vacuums the database. A million posts that were planned within minutes would otherwise be cleaned up during the
 * rounds.
 */
const cleanUp = async ({ connectionString }) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
};

/** Returns a function that spreads `count` posts evenly over the days of the comparison. */
const dueInDays = (count) => {
  const [first, last] = PLANNED_FOR_DAYS.map((days) => Date.now() + days * DAY_MS);
  return (i) => Math.round(first + ((last - first) * i) / count);
};

/** Plans posts that are due at a rate, and returns how many ms late each was released. */
const measureRelease = async ({ feed, endpoints, startGateway }, { rate, seconds }) => {
  const count = Math.round(rate * seconds);
  const worker = await startGateway('worker');
  const delays = [];
  const stopping = new AbortController();
  const after = await feed.store.readHead();
  const reading = (async () => {
    const types = ['PostReleased'];
    for await (const { events } of feed.store.subscribe({ after, types, signal: stopping.signal })) {
      const now = Date.now();
      for (const { data } of events) delays.push(now - JSON.parse(data).publishAt);
    }
  })();
  const firstAt = Date.now() + Math.max(LEAD_MS.least, count * LEAD_MS.each);
  await feed.add(endpoints, count, { dueAt: (i) => Math.round(firstAt + (i * 1_000) / rate) });
  if (Date.now() > firstAt) console.log('the posts were not planned in time: the first ones are late for that reason');
  await until(() => delays.length >= count);
  stopping.abort();
  await reading;
  await worker.stop();
  return delays;
};

const figures = (result) =>
  `${line(result)}   accepting ${result.accepted.toFixed(0)}/s   memory ${(result.memory / MIB).toFixed(0)} MiB   ` +
  `start ${result.start.toFixed(0)} ms`;
