/**
 * bench -- storm: one network answers 429 and 5xx at random while the other three carry 100 posts a second. How long a
 * post of theirs is under way, from the moment it is due to be sent to the API until their stand-in has accepted it, is
 * held against calm rounds of the same traffic in the same run, in alternation. Order on every channel is checked.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { accepted, dueAtOf, median, messagesAfter, quantile, until } from './publishing.js';
import { seed, unlimitedProfile } from './seed.js';
import { onStage, OPERATOR_KEY, option } from './stage.js';

const NETWORKS = ['telegram', 'vk', 'max', 'ok'];
const CHANNELS_EACH = 50;
const CONNECTIONS = 48;
/** The call that readers see, of a post of text alone. */
const VISIBLE = { telegram: 'sendMessage', vk: 'wall.post', max: 'POST /messages', ok: 'mediatopic.post' };
const SQUALLS = [
  null,
  { status: 429, headers: { 'retry-after': '1' } },
  { status: 429 },
  { status: 500 },
  { status: 502, body: '<html></html>' },
  { status: 503 },
];

export const run = async (args) => {
  const rounds = option(args, 'rounds', 1);
  const seconds = option(args, 'seconds', 60);
  const rate = option(args, 'rate', 100);
  const struck = args.find((arg) => arg.startsWith('--struck='))?.split('=')[1] ?? 'telegram';
  const steady = NETWORKS.filter((name) => name !== struck);

  await onStage(unlimitedProfile(), async (stage) => {
    const standIns = Object.fromEntries(
      await Promise.all(NETWORKS.map(async (name) => [name, await stage.standIn(name)])),
    );
    const urls = NETWORKS.map((name) => [`${name.toUpperCase()}_API_URL`, standIns[name].url]);
    const settings = { LOG_LEVEL: 'fatal', PACING: 'off', ...Object.fromEntries(urls) };
    const both = await stage.gateway({ ...settings, ROLES: 'api,worker' });
    const count = CHANNELS_EACH * NETWORKS.length;
    const lines = await seed(both.url, OPERATOR_KEY, { endpoints: count, channels: count, platforms: NETWORKS });
    await both.stop();
    const { port } = await stage.gateway({ ...settings, ROLES: 'api' });
    await stage.gateway({ ...settings, ROLES: 'worker' });
    const post = stage.generator('timed-posts.js');
    const postToStruck = stage.generator('timed-posts.js');

    const traffic = async (duration, isStormy) => {
      const before = Object.fromEntries(
        await Promise.all(NETWORKS.map(async (name) => [name, await accepted(standIns[name])])),
      );
      const to = (names) => lines.filter(({ platform }) => names.includes(platform));
      const job = { port, connections: CONNECTIONS, seconds: duration };
      const over = isStormy ? storm(standIns[struck], struck, duration) : Promise.resolve();
      const [{ sent }] = await Promise.all([
        post({ ...job, targets: to(steady), rate }),
        postToStruck({ ...job, targets: to([struck]), rate: Math.ceil(rate / 3) }),
        over,
      ]);
      const arrived = async () =>
        (await Promise.all(steady.map(async (name) => (await accepted(standIns[name])) - before[name]))).reduce(
          (sum, some) => sum + some,
        );
      await until(async () => (await arrived()) >= sent);
      const underWay = [];
      for (const name of NETWORKS) {
        const messages = await messagesAfter(standIns[name], before[name]);
        expectOrder(name, messages);
        if (name !== struck) underWay.push(...messages.map(({ at, text }) => Date.parse(at) - dueAtOf(text)));
      }
      return { p50: quantile(underWay, 0.5), p99: quantile(underWay, 0.99) };
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
      `\nmedians of ${rounds} rounds of ${seconds} s: ${rate} posts/s on ${steady.join(', ')}, a storm on ${struck}`,
    );
    console.log(
      `ratio      p50 ${(stormy.p50 / calm.p50).toFixed(2)} ×   p99 ${(stormy.p99 / calm.p99).toFixed(2)} ×   order kept`,
    );
  });
};

/** One trouble after the other, at random, for so long. */
const storm = async ({ url }, network, seconds) => {
  const control = (method, body) =>
    fetch(`${url}/_control/faults`, { method, ...(body && { body: JSON.stringify(body) }) });
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; await sleep(50 + Math.random() * 200)) {
    await control('DELETE');
    const squall = SQUALLS[Math.floor(Math.random() * SQUALLS.length)];
    if (squall) await control('POST', { mode: 'answer', method: VISIBLE[network], times: null, ...squall });
  }
  await control('DELETE');
};

/** @throws Error where a channel's readers see a later post before an earlier one */
const expectOrder = (network, messages) => {
  const latest = new Map();
  for (const { channel, text } of messages) {
    const due = dueAtOf(text);
    if (due <= (latest.get(channel) ?? 0))
      throw new Error(`${network} ${channel}: ${due} came after ${latest.get(channel)}`);
    latest.set(channel, due);
  }
};

const line = ({ p50, p99 }) => `p50 ${ms(p50)}   p99 ${ms(p99)}`;
const ms = (value) => `${value.toFixed(1).padStart(6)} ms`;
