/**
 * bench -- latency: how long a post is under way from the moment it is due to be sent to the API until the stand-in has
 * accepted it, at 200 posts a second over 1,000 channels; beside messages sent to the stand-in directly at the same rate,
 * in alternating rounds. The API and the worker are processes of their own.
 */
import { postRequest } from './keep-alive.js';
import { accepted, callsOf, dueAtOf, median, messagesAfter, prepare, quantile, until } from './publishing.js';
import { unlimitedProfile } from './seed.js';
import { onStage, option } from './stage.js';

const CONNECTIONS = 64;

export const run = async (args) => {
  const rounds = option(args, 'rounds', 3);
  const seconds = option(args, 'seconds', 10);
  const rate = option(args, 'rate', 200);

  await onStage(unlimitedProfile(), async (stage) => {
    const network = await stage.standIn();
    const { endpoints: targets, gateway } = await prepare(stage, network);
    const { port } = await gateway('api');
    await gateway('worker');
    const post = stage.generator('timed-posts.js');
    const shoot = stage.generator('traffic.js');

    const ours = async (duration) => {
      const before = await accepted(network);
      const { sent, latencies } = await post({ port, targets, connections: CONNECTIONS, rate, seconds: duration });
      await until(async () => (await accepted(network)) >= before + sent);
      const underWay = (await messagesAfter(network, before)).map(({ at, text }) => Date.parse(at) - dueAtOf(text));
      return {
        ...{ p50: quantile(underWay, 0.5), p99: quantile(underWay, 0.99) },
        ...{ answered50: quantile(latencies, 0.5), answered99: quantile(latencies, 0.99) },
      };
    };
    const direct = async (duration) => {
      const requests = (await callsOf(network)).map(({ path, message }) =>
        postRequest(path, {}, JSON.stringify(message)),
      );
      const streams = [{ name: 'direct', requests, connections: CONNECTIONS, rate }];
      const { p50, p99 } = (await shoot({ port: network.port, seconds: duration, streams })).direct;
      return { p50, p99 };
    };

    await ours(seconds / 2); // warm up
    await direct(2);
    const results = { ours: [], direct: [] };
    for (let round = 1; round <= rounds; round++) {
      results.direct.push(await direct(seconds));
      results.ours.push(await ours(seconds));
      console.log(`round ${round}/${rounds}  direct     ${line(results.direct.at(-1))}`);
      console.log(`           crosspost  ${line(results.ours.at(-1))}`);
    }
    const [bare, end] = [median(results.direct), median(results.ours)];
    console.log(`\nmedians of ${rounds} rounds, ${rate} posts/s`);
    console.log(`direct     ${line(bare)}`);
    console.log(`crosspost  ${line(end)}`);
    const times = (key) => `${key} ${(end[key] / bare[key]).toFixed(1)} ×`;
    console.log(`ratio      end to end to a message sent directly: ${times('p50')}   ${times('p99')}`);
  });
};

const line = ({ p50, p99, answered50, answered99 }) =>
  `p50 ${ms(p50)}   p99 ${ms(p99)}` +
  (answered50 === undefined ? '' : `   the API's answer: p50 ${ms(answered50)}   p99 ${ms(answered99)}`);
const ms = (value) => `${value.toFixed(1).padStart(6)} ms`;
