/**
 * bench -- backlog: compares the publishing rate of a worker with a backlog of 1,000 publications and of 1,000,000,
 * over 1,000 channels each, in alternating rounds with a new worker per round. Posts are accepted as fast as they are
 * published, so that the backlog keeps its size. Also shows the CPU time per publication and the worker's memory. With
 * --sampled it compares other workers instead (sampled.js).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readOption, withBenchEnvironment } from './environment.js';
import { readMemory } from './processes.js';
import {
  CHANNELS,
  countAccepted,
  line,
  median,
  prepareChannels,
  startMeasuring,
  until,
  watchProjections,
} from './publishing.js';
import { runProjections } from './run-projections.js';
import { unlimitedProfile } from './seed.js';

const MIB = 1_048_576;
/** Number of channels of each post in the large backlog. */
const TARGETS = 10;
/** Number of publications that warm up a new worker. */
const WARM_UP = readOption(process.argv, 'warm-up', 4_000);
const FEED_EVERY_MS = 20;

export const run = async (args) => {
  if (args.some((arg) => arg.startsWith('--sampled'))) return (await import('./sampled.js')).run(args);
  const rounds = readOption(args, 'rounds', 3);
  const seconds = readOption(args, 'seconds', 6);
  const few = readOption(args, 'few', 1_000);
  const many = readOption(args, 'many', 1_000_000);

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn();
    const sides = {
      few: await prepareChannels(environment, network, { databaseName: 'few' }),
      many: await prepareChannels(environment, network, { databaseName: 'many' }),
    };
    await fillBacklog(sides.few, few, 1);
    await fillBacklog(sides.many, many, TARGETS);

    const results = { few: [], many: [] };
    for (let round = 1; round <= rounds; round++) {
      for (const [name, side] of Object.entries(sides)) {
        results[name].push(await measureRound(side, { environment, network, seconds }));
        console.log(`round ${round}/${rounds}  ${title(name === 'few' ? few : many)} ${figures(results[name].at(-1))}`);
      }
    }
    const [small, large] = [median(results.few), median(results.many)];
    console.log(`\nmedians of ${rounds} rounds, ${CHANNELS} channels`);
    console.log(`${title(few)} ${figures(small)}\n${title(many)} ${figures(large)}`);
    const cpu = ({ worker, postgres }) => worker + postgres;
    console.log(
      `ratio      rate with ${many} waiting to that with ${few}: ${(large.rate / small.rate).toFixed(2)} ×   ` +
        `CPU each ${(cpu(large) / cpu(small)).toFixed(2)} ×   memory ${(large.memory / small.memory).toFixed(2)} ×`,
    );
  });
};

/**
 * Creates a backlog of `count` publications that are accepted and in every read model. @param more more options of the
 * feed
 */
export const fillBacklog = async ({ feed, endpoints, connectionString }, count, targets, more = {}) => {
  const startedAt = performance.now();
  const report = (what) =>
    console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${what}`);
  const head = await feed.add(endpoints, count / targets, {
    ...more,
    targets,
    onProgress: (posts) => report(`${posts * targets} of ${count} accepted`),
  });
  const projections = await watchProjections(connectionString);
  const { stop } = await runProjections(connectionString);
  const from = await projections.readPosition();
  let reportedAt = performance.now();
  await until(async () => {
    const at = await projections.readPosition();
    if (performance.now() > reportedAt + 10_000) {
      reportedAt = performance.now();
      report(`read models at ${Math.floor((Number(at - from) / Number(head - from)) * 100)} %`);
    }
    return at >= head;
  });
  await stop();
  await projections.close();
  report(`${count} waiting`);
};

/**
 * Runs one round: a new worker, and as many new posts as are published.
 * @param beside begins other work before the measurement; what it returns ends that work and returns its figures
 */
export const measureRound = async ({ startGateway, feed, endpoints }, { environment, network, seconds, beside }) => {
  const worker = await startGateway('worker');
  const start = await countAccepted(network);
  let fedCount = start;
  let isFeeding = true;
  const filling = (async () => {
    while (isFeeding) {
      const published = (await countAccepted(network)) - fedCount;
      if (published > 0) await feed.add(endpoints, published);
      fedCount += published;
      await sleep(FEED_EVERY_MS);
    }
  })();
  await until(async () => (await countAccepted(network)) >= start + WARM_UP);
  const endBeside = await beside?.();
  const measuring = await startMeasuring(worker, environment.postmaster, network);
  await sleep(seconds * 1_000);
  const figures = { ...(await measuring.stop()), memory: readMemory(worker.pid), ...(await endBeside?.()) };
  isFeeding = false;
  await filling;
  await worker.stop();
  return figures;
};

const title = (count) => `${count} waiting`.padEnd(16);
const figures = (result) => `${line(result)}   memory ${(result.memory / MIB).toFixed(0)} MiB`;
