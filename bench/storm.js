/**
 * bench -- storm: one network answers with 429 and 5xx at random while the other three carry 100 posts a second.
 * Measures the time from when one of their posts is due to be sent to the API until the stand-in has accepted it, and
 * compares it with alternating rounds of the same traffic without faults. Also checks the order on every channel.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { countAccepted, median, parseDueTime, quantile, readMessagesAfter, until } from './publishing.js';
import { seed, unlimitedProfile } from './seed.js';

const NETWORKS = ['telegram', 'vk', 'max', 'ok'];
const CHANNELS_EACH = readOption(process.argv, 'channels', 50);
const CONNECTIONS = 48;
/** The call that publishes a post with only text. */
const PUBLISH_CALL = { telegram: 'sendMessage', vk: 'wall.post', max: 'POST /messages', ok: 'mediatopic.post' };
const FAULTS = [
  null,
  { status: 429, headers: { 'retry-after': '1' } },
  { status: 429 },
  { status: 500 },
  { status: 502, body: '<html></html>' },
  { status: 503 },
];

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 1);
  const seconds = readOption(args, 'seconds', 60);
  const rate = readOption(args, 'rate', 100);
  const failing = args.find((arg) => arg.startsWith('--failing='))?.split('=')[1] ?? 'telegram';
  const healthy = NETWORKS.filter((name) => name !== failing);

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const standIns = Object.fromEntries(
      await Promise.all(NETWORKS.map(async (name) => [name, await environment.startStandIn(name)])),
    );
    const urls = NETWORKS.map((name) => [`${name.toUpperCase()}_API_URL`, standIns[name].url]);
    const settings = { LOG_LEVEL: 'fatal', PACING: 'off', ...Object.fromEntries(urls) };
    const both = await environment.startGateway({ ...settings, ROLES: 'api,worker' });
    const count = CHANNELS_EACH * NETWORKS.length;
    const lines = await seed(both.url, OPERATOR_KEY, { endpoints: count, channels: count, platforms: NETWORKS });
    await both.stop();
    const { port } = await environment.startGateway({ ...settings, ROLES: 'api' });
    await environment.startGateway({ ...settings, ROLES: 'worker' });
    const post = environment.startGenerator('timed-posts.js');
    const postToFailing = environment.startGenerator('timed-posts.js');

    const traffic = async (duration, isStormy) => {
      const before = Object.fromEntries(
        await Promise.all(NETWORKS.map(async (name) => [name, await countAccepted(standIns[name])])),
      );
      const to = (names) => lines.filter(({ platform }) => names.includes(platform));
      const job = { port, connections: CONNECTIONS, seconds: duration };
      const faults = isStormy ? injectFaults(standIns[failing], failing, duration) : Promise.resolve();
      const [{ sent }] = await Promise.all([
        post({ ...job, targets: to(healthy), rate }),
        postToFailing({ ...job, targets: to([failing]), rate: Math.ceil(rate / 3) }),
        faults,
      ]);
      const countArrived = async () =>
        (await Promise.all(healthy.map(async (name) => (await countAccepted(standIns[name])) - before[name]))).reduce(
          (sum, some) => sum + some,
        );
      await until(async () => (await countArrived()) >= sent);
      const delays = [];
      for (const name of NETWORKS) {
        const messages = await readMessagesAfter(standIns[name], before[name]);
        expectOrder(name, messages);
        if (name !== failing) delays.push(...messages.map(({ at, text }) => Date.parse(at) - parseDueTime(text)));
      }
      return { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) };
    };

    await traffic(Math.min(10, seconds), false); // warm up
    const results = { calm: [], stormy: [] };
    for (let round = 1; round <= rounds; round++) {
      results.calm.push(await traffic(seconds, false));
      console.log(`round ${round}/${rounds}  calm    ${line(results.calm.at(-1))}`);
      results.stormy.push(await traffic(seconds, true));
      console.log(`           stormy  ${line(results.stormy.at(-1))}`);
    }
    const [calm, stormy] = [median(results.calm), median(results.stormy)];
    console.log(
      `\nmedians of ${rounds} rounds of ${seconds} s: ${rate} posts/s on ${healthy.join(', ')}, a storm on ${failing}`,
    );
    console.log(
      `ratio      p50 ${(stormy.p50 / calm.p50).toFixed(2)} ×   p99 ${(stormy.p99 / calm.p99).toFixed(2)} ×   order kept`,
    );
  });
};

/** Injects random faults one after another, for the given number of seconds. */
const injectFaults = async ({ url }, network, seconds) => {
  const control = (method, body) =>
    fetch(`${url}/_control/faults`, { method, ...(body && { body: JSON.stringify(body) }) });
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; await sleep(50 + Math.random() * 200)) {
    await control('DELETE');
    const fault = FAULTS[Math.floor(Math.random() * FAULTS.length)];
    if (fault) await control('POST', { mode: 'answer', method: PUBLISH_CALL[network], times: null, ...fault });
  }
  await control('DELETE');
};

/** Checks the order of messages. @throws Error if a later post was published before an earlier one on a channel */
const expectOrder = (network, messages) => {
  const latest = new Map();
  for (const { channel, text } of messages) {
    const due = parseDueTime(text);
    if (due <= (latest.get(channel) ?? 0))
      throw new Error(`${network} ${channel}: ${due} was published after ${latest.get(channel)}`);
    latest.set(channel, due);
  }
};

const line = ({ p50, p99 }) => `p50 ${ms(p50)}   p99 ${ms(p99)}`;
const ms = (value) => `${value.toFixed(1).padStart(6)} ms`;
