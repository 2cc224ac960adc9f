/**
 * bench -- publish: publications a second over 1,000 channels against a stand-in, beside a bare loop of POSTs over kept
 * alive connections: the same calls, at the same stand-in, as many at a time, each from a process of its own, in
 * alternating rounds. The posts lie ready in the schedule before a round is measured. CPU time of each publication is
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
    const loop = async (duration) => {
      const calls = await callsOf(network);
      const before = { network: cpuOf(network.pid), loop: cpuOf(post.pid) };
      const { answered } = await post({ url: network.url, calls, connections: CONNECTIONS, seconds: duration });
      const each = (pid, since) => (cpuOf(pid) - since) / answered;
      const cpu = { network: each(network.pid, before.network), loop: each(post.pid, before.loop) };
      return { rate: answered / duration, ...cpu };
    };

    await publish();
    await loop(2);
    const results = { bare: [], ours: [] };
    for (let round = 1; round <= rounds; round++) {
      results.bare.push(await loop(seconds));
      results.ours.push(await publish());
      console.log(`round ${round}/${rounds}  bare loop  ${bareLine(results.bare.at(-1))}`);
      console.log(`           crosspost  ${line(results.ours.at(-1))}`);
    }
    const [bare, ours] = [median(results.bare), median(results.ours)];
    console.log(`\nmedians of ${rounds} rounds, ${CHANNELS} channels, ${CONNECTIONS} at a time`);
    console.log(`bare loop  ${bareLine(bare)}`);
    console.log(`crosspost  ${line(ours)}`);
    const cpu = (bare.loop + bare.network) / (ours.worker + ours.postgres + ours.network);
    console.log(
      `ratio      publications to bare POSTs ${(ours.rate / bare.rate).toFixed(2)} ×   ` +
        `by CPU time of all that takes part ${cpu.toFixed(2)} ×`,
    );
  });
};

const bareLine = ({ rate, network, loop }) =>
  `${whole(rate)} POSTs/s          CPU each: loop ${whole(loop)} µs, stand-in ${whole(network)} µs`;
