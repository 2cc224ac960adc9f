/**
 * The attacks `planned`, `webhooks` and `withdraw` of the bench neighbours, whose work begins or ends long after the
 * attacker's requests.
 * `planned`: an owner plans 200 posts to 2,000 channels each for one moment (--planned-posts, --planned-channels);
 * others' posts, planned for every moment of the round, and the answers to them are measured. `webhooks`: posts of an
 * owner with 100 channels and 100 outputs, five projects of 20 each; the deliveries of another owner are measured.
 * `withdraw`: an owner takes back posts with 1,000 publications each (--publications), one after the other; others' posts
 * are measured. All calm rounds come first, because a backlog of the attacker remains. Each line shows the others' p50
 * and p99.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATOR_KEY, readOption } from './environment.js';
import { countAccepted, parseDueTime, quantile, readMessagesAfter, until } from './publishing.js';
import { seed } from './seed.js';

const CONNECTIONS = 16;
/** Each channel of the others gets six posts a minute: Telegram allows 20. */
const OTHERS = 200;
/** How long before its time each planned post of the others is sent, in ms. */
const LEAD_MS = 3_000;
const OUTPUTS = { projects: 5, each: 20 };
const POST_EVERY_MS = 5_000;
/** Number of channels that a project can have. */
const MOST_IN_PROJECT = 200;

export const BURSTS = ['planned', 'webhooks', 'withdraw'];

/** Measures one of the attacks. Returns a line with the ratios. */
export const measureBurst = async (name, { environment, network, url, port, args, call }) => {
  const rounds = readOption(args, 'rounds', 3);
  const seconds = readOption(args, 'seconds', 10);
  const rate = readOption(args, 'rate', 20);
  const post = environment.startGenerator('timed-posts.js');
  const context = { environment, network, url, port, args, call, post, seconds, rate };
  const { calm, attack, describe } = await PREPARE[name]({ ...context, rounds });
  console.log(`attack: ${name}`);
  await calm(); // warms up
  const results = { calm: [], attacked: [] };
  for (let round = 1; round <= rounds; round++) results.calm.push(await calm());
  const stop = await attack();
  for (let round = 1; round <= rounds; round++) results.attacked.push(await calm());
  await stop?.();
  const pooled = (side, key, q) =>
    quantile(
      results[side].flatMap((each) => each[key]),
      q,
    );
  return Object.keys(results.calm[0]).map((key) => {
    const [quiet, loud] = ['calm', 'attacked'].map((side) => [0.5, 0.99].map((q) => pooled(side, key, q)));
    return (
      `${name.padEnd(8)}  ${key}: calm p50 ${ms(quiet[0])}, p99 ${ms(quiet[1])}   attacked p50 ${ms(loud[0])}, ` +
      `p99 ${ms(loud[1])}   p99 attacked / calm ${(loud[1] / quiet[1]).toFixed(2)} ×${describe()}`
    );
  });
};

const preparePlanned = async ({ network, url, port, args, call, post, seconds, rate }) => {
  const channels = readOption(args, 'planned-channels', 2_000);
  const posts = readOption(args, 'planned-posts', 200);
  const others = await seed(url, OPERATOR_KEY, { channels: OTHERS, endpoints: OTHERS });
  const projects = Math.ceil(channels / MOST_IN_PROJECT);
  const { endpoint } = await createAttacker(call, Array(projects).fill(Math.ceil(channels / projects)));
  const round = async () => {
    const text = /^A post of usual length/;
    const before = new Set((await readMessagesAfter(network, 0)).map(({ seq }) => seq));
    const job = { port, connections: CONNECTIONS, seconds, targets: others, rate, publishAfterMs: LEAD_MS };
    const { sent, latencies } = await post(job);
    let messages = [];
    await until(async () => {
      const all = await readMessagesAfter(network, 0);
      messages = all.filter((each) => !before.has(each.seq) && text.test(each.text ?? ''));
      return messages.length >= sent;
    });
    return { answers: latencies, 'from publish_at to the network': messages.map(delayOf) };
  };
  const attack = async () => {
    const at = new Date(Date.now() + 2_000 + posts * 100).toISOString();
    await inLanes(4, posts, (n) => call(endpoint.path, { text: `Attack ${n}`, publish_at: at }, endpoint.token));
    await sleep(Math.max(0, Date.parse(at) - Date.now() - 1_000));
  };
  return { calm: round, attack, describe: () => '' };
};

const prepareWebhooks = async ({ environment, url, port, call, post, seconds, rate }) => {
  const receive = environment.startGenerator('webhook-receiver.js');
  const { port: hooks } = await receive({ latency: 5 });
  const others = await seed(url, OPERATOR_KEY, { channels: OTHERS, endpoints: OTHERS });
  const addOutput = (project_id, path) =>
    call('/manage/v1/webhook-outputs', { project_id, url: `http://127.0.0.1:${hooks}/${path}` });
  for (const { projectId } of others) await addOutput(projectId, 'out/1');
  const { endpoint, projects } = await createAttacker(call, Array(OUTPUTS.projects).fill(OUTPUTS.each));
  for (const project of projects)
    for (let n = 0; n < OUTPUTS.each; n++) await addOutput(project, `ignored/${project}/${n}`);
  const round = async () => {
    await receive({ reset: true });
    const { sent, latencies } = await post({ port, connections: CONNECTIONS, seconds, targets: others, rate });
    let delays = [];
    await until(async () => (delays = (await receive({ delays: true })).delays).length >= sent);
    return { answers: latencies, 'from published_at to the delivery': delays };
  };
  let attacks = 0;
  const attack = async () => {
    let isOn = true;
    const attacking = (async () => {
      for (; isOn; attacks++) {
        await call(endpoint.path, { text: `Attack ${attacks}` }, endpoint.token);
        await sleep(POST_EVERY_MS);
      }
    })();
    return async () => {
      isOn = false;
      await attacking;
    };
  };
  return { calm: round, attack, describe: () => `   (${attacks} posts of the attacker)` };
};

const prepareWithdraw = async ({ network, url, port, args, call, post, seconds, rate, rounds }) => {
  const channels = readOption(args, 'publications', 1_000);
  const others = await seed(url, OPERATOR_KEY, { channels: OTHERS, endpoints: OTHERS });
  const projects = Math.ceil(channels / MOST_IN_PROJECT);
  const { endpoint } = await createAttacker(call, Array(projects).fill(Math.ceil(channels / projects)));
  const wrong = [];
  for (let n = 0; n < 1 + rounds * readOption(args, 'posts', 3); n++) {
    const before = await countAccepted(network);
    wrong.push((await call(endpoint.path, { text: `Wrong ${n}` }, endpoint.token)).id);
    await until(async () => (await countAccepted(network)) >= before + channels);
  }
  const countDeleted = async (after) =>
    (await (await fetch(`${network.url}/_control/changes?after=${after}`)).json()).items.length;
  const [answers, times] = [[], []];
  let deleted = 0;
  const takeBack = async () => {
    const id = wrong.shift();
    if (!id) throw new Error('too few posts to take back: raise --posts');
    const startedAt = Date.now();
    const { withdrawing } = await call(`${endpoint.path}/posts/${id}/withdraw`, {}, endpoint.token);
    if (withdrawing !== channels) throw new Error(`${withdrawing} of ${channels} publications are taken back`);
    answers.push(Date.now() - startedAt);
    await until(async () => (await countDeleted(deleted)) >= channels);
    deleted += channels;
    times.push(Date.now() - startedAt);
  };
  let isAttacked = false;
  const round = async () => {
    const before = await countAccepted(network);
    let isOn = isAttacked;
    const attacking = (async () => {
      while (isOn) await takeBack();
    })();
    const { sent, latencies } = await post({ port, connections: CONNECTIONS, seconds, targets: others, rate });
    isOn = false;
    let messages = [];
    await until(async () => (messages = await readMessagesAfter(network, before)).length >= sent);
    await attacking;
    return { answers: latencies, 'to the network': messages.map(delayOf) };
  };
  const attack = async () => {
    await takeBack(); // warms up
    answers.length = times.length = 0;
    isAttacked = true;
  };
  const describe = () =>
    `   (${times.length} posts taken back, ${channels} publications each: answered in ${ms(quantile(answers, 0.5))}, ` +
    `all deleted after ${ms(quantile(times, 0.5))}, at most ${ms(quantile(times, 1))})`;
  return { calm: round, attack, describe };
};

const PREPARE = { planned: preparePlanned, webhooks: prepareWebhooks, withdraw: prepareWithdraw };

/** Creates an owner with projects of these numbers of channels, and an endpoint for all of them. */
const createAttacker = async (call, sizes) => {
  const { id: owner_id } = await call('/manage/v1/owners', { name: 'Attacker', plan: 'business' });
  const projects = [];
  for (const [p, size] of sizes.entries()) {
    const channel_ids = [];
    await inLanes(16, size, async (n) => {
      const credentials = {
        bot_token: `${9_000 + (n % 20)}:${'c'.repeat(35)}`,
        chat_id: `-100${6_000_000 + p * 10_000 + n}`,
      };
      const body = { owner_id, platform: 'telegram', name: `Attack ${n}`, credentials };
      channel_ids.push((await call('/manage/v1/channels', body)).id);
    });
    projects.push((await call('/manage/v1/projects', { owner_id, name: `Attack ${p}`, channel_ids })).id);
  }
  const body = { owner_id, project_ids: projects, mode: 'live', min_interval: 0 };
  const { slug, token } = await call('/manage/v1/endpoints', body);
  return { endpoint: { path: `/v1/webhooks/${slug}`, token }, projects };
};

const inLanes = async (lanes, count, work) => {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
};

const delayOf = ({ at, text }) => Date.parse(at) - parseDueTime(text);
const ms = (value) => `${value.toFixed(0)} ms`;
