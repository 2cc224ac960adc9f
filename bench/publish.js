/**
 * bench -- publish: publications a second over 1,000 channels against a stand-in, beside bare loops of POSTs over kept
 * alive connections: the same calls, at the same stand-in, from a process of their own, in alternating rounds; one loop
 * on one connection, and as many at a time as the worker may have under way. The posts lie ready in the schedule before a round is measured. CPU time of each publication is
 * shown for the worker and for PostgreSQL, and the stand-in's for both sides: where other programs share the machine, the
 * ratio of all of it is steadier than that of the rates.
 */
import { cpuOf } from './processes.js';
import {
  accepted,
  callsOf,
  CHANNELS,
  line,
  measure,
  median,
  prepare,
  until,
  watchProjections,
  whole,
} from './publishing.js';
import { unlimitedProfile } from './seed.js';
import { onStage, option } from './stage.js';

/** As many channels as one worker publishes on at a time. */
const CONNECTIONS = 512;
/** The last ones of a round are left out: they come from ever fewer channels. */
const MEASURED = 0.9;

export const run = async (args) => {
  const rounds = option(args, 'rounds', 3);
  const posts = option(args, 'posts', 20_000);
  const seconds = option(args, 'seconds', 5);

  await onStage(unlimitedProfile(), async (stage) => {
    const network = await stage.standIn();
    const { feed, endpoints, gateway, connectionString } = await prepare(stage, network);
    const worker = await gateway('worker');
    const projections = await watchProjections(connectionString);
    stage.onEnd(() => projections.close());
    const post = stage.generator('post-loop.js');

    const publish = async () => {
      const end = (await accepted(network)) + posts;
      const head = await feed.add(endpoints, posts);
      await until(async () => (await projections.reached()) >= head);
      const measuring = await measure(worker, stage.postmaster, network);
      const measured = Math.floor((end - (await accepted(network))) * MEASURED);
      const enough = (await accepted(network)) + measured;
      await until(async () => (await accepted(network)) >= enough);
      const figures = await measuring.stop();
      await until(async () => (await accepted(network)) >= end);
      return figures;
    };
    const loop = async (duration, connections = CONNECTIONS) => {
      const calls = await callsOf(network);
      const before = { network: cpuOf(network.pid), loop: cpuOf(post.pid) };
      const { answered } = await post({ url: network.url, calls, connections, seconds: duration });
      const each = (pid, since) => (cpuOf(pid) - since) / answered;
      const cpu = { network: each(network.pid, before.network), loop: each(post.pid, before.loop) };
      return { rate: answered / duration, ...cpu };
    };

    await publish();
    await loop(2);
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
  return `${(ours.rate / bare.rate).toFixed(2)} ×   by CPU time of all that takes part ${cpu.toFixed(2)} ×`;
};

const bareLine = ({ rate, network, loop }) =>
  `${whole(rate)} POSTs/s          CPU each: loop ${whole(loop)} µs, stand-in ${whole(network)} µs`;
