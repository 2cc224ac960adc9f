/**
 * bench -- backlog: how fast a worker claims and publishes with 1,000 publications waiting and with 1,000,000, over
 * 1,000 channels in both; in alternating rounds, each with a worker of its own. In both as many posts are accepted as go
 * out, so that what waits stays as much. Shown beside the rate: CPU time of each publication, and the worker's memory.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from './processes.js';
import { project } from './project.js';
import { accepted, CHANNELS, line, measure, median, prepare, until, watchProjections } from './publishing.js';
import { unlimitedProfile } from './seed.js';
import { onStage, option } from './stage.js';

const MIB = 1_048_576;
/** A post of the great backlog goes to so many channels. */
const TARGETS = 10;
/** Publications by which a new worker is warm. */
const WARM_UP = 4_000;
const FEED_EVERY_MS = 20;

export const run = async (args) => {
  const rounds = option(args, 'rounds', 3);
  const seconds = option(args, 'seconds', 6);
  const few = option(args, 'few', 1_000);
  const many = option(args, 'many', 1_000_000);

  await onStage(unlimitedProfile(), async (stage) => {
    const network = await stage.standIn();
    const sides = { few: await prepare(stage, network, 'few'), many: await prepare(stage, network, 'many') };
    await fill(sides.few, few, 1);
    await fill(sides.many, many, TARGETS);

    const results = { few: [], many: [] };
    for (let round = 1; round <= rounds; round++) {
      for (const [name, side] of Object.entries(sides)) {
        results[name].push(await publish(side, { stage, network, seconds }));
        console.log(`round ${round}/${rounds}  ${title(name === 'few' ? few : many)} ${figures(results[name].at(-1))}`);
      }
    }
    const [little, much] = [median(results.few), median(results.many)];
    console.log(`\nmedians of ${rounds} rounds, ${CHANNELS} channels`);
    console.log(`${title(few)} ${figures(little)}\n${title(many)} ${figures(much)}`);
    const cpu = ({ worker, postgres }) => worker + postgres;
    console.log(
      `ratio      rate with ${many} waiting to that with ${few}: ${(much.rate / little.rate).toFixed(2)} ×   ` +
        `CPU each ${(cpu(much) / cpu(little)).toFixed(2)} ×   memory ${(much.memory / little.memory).toFixed(2)} ×`,
    );
  });
};

/** Has this many publications wait: accepted, and shown by every read model. */
const fill = async ({ feed, endpoints, connectionString }, count, targets) => {
  const startedAt = performance.now();
  const tell = (what) => console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${what}`);
  const head = await feed.add(endpoints, count / targets, {
    targets,
    onProgress: (posts) => tell(`${posts * targets} of ${count} accepted`),
  });
  const projections = await watchProjections(connectionString);
  const stop = await project(connectionString);
  const from = await projections.reached();
  let told = performance.now();
  await until(async () => {
    const at = await projections.reached();
    if (performance.now() > told + 10_000) {
      told = performance.now();
      tell(`read models at ${Math.floor((Number(at - from) / Number(head - from)) * 100)} %`);
    }
    return at >= head;
  });
  await stop();
  await projections.close();
  tell(`${count} waiting`);
};

/** One round: a new worker, and as many posts accepted as go out. */
const publish = async ({ gateway, feed, endpoints }, { stage, network, seconds }) => {
  const worker = await gateway('worker');
  const start = await accepted(network);
  let fed = start;
  let feeding = true;
  const fill = (async () => {
    while (feeding) {
      const gone = (await accepted(network)) - fed;
      if (gone > 0) await feed.add(endpoints, gone);
      fed += gone;
      await sleep(FEED_EVERY_MS);
    }
  })();
  await until(async () => (await accepted(network)) >= start + WARM_UP);
  const measuring = await measure(worker, stage.postmaster, network);
  await sleep(seconds * 1_000);
  const figures = { ...(await measuring.stop()), memory: memoryOf(worker.pid) };
  feeding = false;
  await fill;
  await worker.stop();
  return figures;
};

const title = (count) => `${count} waiting`.padEnd(16);
const figures = (result) => `${line(result)}   memory ${(result.memory / MIB).toFixed(0)} MiB`;
