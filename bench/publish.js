/**
 * bench -- publish: measures publications per second over 1,000 channels against a stand-in. The baseline is bare loops
 * of POSTs over keep-alive connections: the same calls to the same stand-in from a separate process, in alternating
 * rounds; with one loop on one connection, and with as many loops as the worker may have publications in progress. The
 * posts are in the schedule before a round is measured. Also shows the CPU time per publication of the worker and of
 * PostgreSQL, and the stand-in's for both sides. If other programs share the machine, the ratio of all CPU time is
 * steadier than the ratio of the rates.
 */
import { readOption, withBenchEnvironment } from './environment.js';
import { readCpuTime } from './processes.js';
import {
  CHANNELS,
  countAccepted,
  line,
  median,
  prepareChannels,
  readCalls,
  startMeasuring,
  until,
  watchProjections,
  whole,
} from './publishing.js';
import { unlimitedProfile } from './seed.js';

/** Number of channels that one worker publishes on at a time. */
const CONNECTIONS = 512;
/** Share of a round that is measured. The last publications are excluded, because fewer and fewer channels remain. */
const MEASURED_SHARE = 0.9;

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 3);
  const posts = readOption(args, 'posts', 20_000);
  const seconds = readOption(args, 'seconds', 5);

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn();
    const { feed, endpoints, startGateway, connectionString } = await prepareChannels(environment, network);
    const worker = await startGateway('worker');
    const projections = await watchProjections(connectionString);
    environment.onEnd(() => projections.close());
    const post = environment.startGenerator('post-loop.js');

    const publish = async () => {
      const end = (await countAccepted(network)) + posts;
      const head = await feed.add(endpoints, posts);
      await until(async () => (await projections.readPosition()) >= head);
      const measuring = await startMeasuring(worker, environment.postmaster, network);
      const measured = Math.floor((end - (await countAccepted(network))) * MEASURED_SHARE);
      const enough = (await countAccepted(network)) + measured;
      await until(async () => (await countAccepted(network)) >= enough);
      const figures = await measuring.stop();
      await until(async () => (await countAccepted(network)) >= end);
      return figures;
    };
    const loop = async (duration, connections = CONNECTIONS) => {
      const calls = await readCalls(network);
      const before = { network: readCpuTime(network.pid), loop: readCpuTime(post.pid) };
      const { answered } = await post({ url: network.url, calls, connections, seconds: duration });
      const each = (pid, since) => (readCpuTime(pid) - since) / answered;
      const cpu = { network: each(network.pid, before.network), loop: each(post.pid, before.loop) };
      return { rate: answered / duration, ...cpu };
    };

    await publish();
    await loop(Math.min(2, seconds));
    const results = { one: [], bare: [], ours: [] };
    for (let round = 1; round <= rounds; round++) {
      results.one.push(await loop(seconds, 1));
      results.bare.push(await loop(seconds));
      results.ours.push(await publish());
      console.log(`round ${round}/${rounds}  one loop   ${bareLine(results.one.at(-1))}`);
      console.log(`           ${CONNECTIONS} loops  ${bareLine(results.bare.at(-1))}`);
      console.log(`           crosspost  ${line(results.ours.at(-1))}`);
    }
    const [one, bare, ours] = [median(results.one), median(results.bare), median(results.ours)];
    console.log(`\nmedians of ${rounds} rounds, ${CHANNELS} channels`);
    console.log(`one loop   ${bareLine(one)}`);
    console.log(`${CONNECTIONS} loops  ${bareLine(bare)}`);
    console.log(`crosspost  ${line(ours)}`);
    console.log(`crosspost to one bare loop   ${ratio(ours, one)}`);
    console.log(`crosspost to ${CONNECTIONS} bare loops  ${ratio(ours, bare)}`);
  });
};

const ratio = (ours, bare) => {
  const cpu = (bare.loop + bare.network) / (ours.worker + ours.postgres + ours.network);
  return `${(ours.rate / bare.rate).toFixed(2)} ×   by CPU time of all processes ${cpu.toFixed(2)} ×`;
};

const bareLine = ({ rate, network, loop }) =>
  `${whole(rate)} POSTs/s          CPU each: loop ${whole(loop)} µs, stand-in ${whole(network)} µs`;
