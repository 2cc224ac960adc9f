/**
 * bench -- latency: measures the time from when a post is due to be sent to the API until the stand-in has accepted it,
 * at 200 posts a second over 1,000 channels. The baseline is messages sent to the stand-in directly at the same rate,
 * in alternating rounds. The API and the worker run in separate processes.
 */
import { readOption, withBenchEnvironment } from './environment.js';
import { formatPostRequest } from './keep-alive.js';
import {
  countAccepted,
  median,
  parseDueTime,
  prepareChannels,
  quantile,
  readCalls,
  readMessagesAfter,
  until,
} from './publishing.js';
import { unlimitedProfile } from './seed.js';

const CONNECTIONS = 64;

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 3);
  const seconds = readOption(args, 'seconds', 10);
  const rate = readOption(args, 'rate', 200);

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn();
    const { endpoints: targets, startGateway } = await prepareChannels(environment, network);
    const { port } = await startGateway('api');
    await startGateway('worker');
    const post = environment.startGenerator('timed-posts.js');
    const generateLoad = environment.startGenerator('traffic.js');

    const ours = async (duration) => {
      const before = await countAccepted(network);
      const { sent, latencies } = await post({ port, targets, connections: CONNECTIONS, rate, seconds: duration });
      await until(async () => (await countAccepted(network)) >= before + sent);
      const delays = (await readMessagesAfter(network, before)).map(
        ({ at, text }) => Date.parse(at) - parseDueTime(text),
      );
      return {
        p50: quantile(delays, 0.5),
        p99: quantile(delays, 0.99),
        response50: quantile(latencies, 0.5),
        response99: quantile(latencies, 0.99),
      };
    };
    const direct = async (duration) => {
      const requests = (await readCalls(network)).map(({ path, message }) =>
        formatPostRequest(path, {}, JSON.stringify(message)),
      );
      const streams = [{ name: 'direct', requests, connections: CONNECTIONS, rate }];
      const { p50, p99 } = (await generateLoad({ port: network.port, seconds: duration, streams })).direct;
      return { p50, p99 };
    };

    await ours(seconds / 2); // warm up
    await direct(Math.min(2, seconds));
    const results = { ours: [], direct: [] };
    for (let round = 1; round <= rounds; round++) {
      results.direct.push(await direct(seconds));
      results.ours.push(await ours(seconds));
      console.log(`round ${round}/${rounds}  direct     ${line(results.direct.at(-1))}`);
      console.log(`           crosspost  ${line(results.ours.at(-1))}`);
    }
    const [baseline, crosspost] = [median(results.direct), median(results.ours)];
    console.log(`\nmedians of ${rounds} rounds, ${rate} posts/s`);
    console.log(`direct     ${line(baseline)}`);
    console.log(`crosspost  ${line(crosspost)}`);
    const formatRatio = (key) => `${key} ${(crosspost[key] / baseline[key]).toFixed(1)} ×`;
    console.log(`ratio      end to end to a message sent directly: ${formatRatio('p50')}   ${formatRatio('p99')}`);
  });
};

const line = ({ p50, p99, response50, response99 }) =>
  `p50 ${ms(p50)}   p99 ${ms(p99)}` +
  (response50 === undefined ? '' : `   API response: p50 ${ms(response50)}   p99 ${ms(response99)}`);
const ms = (value) => `${value.toFixed(1).padStart(6)} ms`;
