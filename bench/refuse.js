/**
 * bench -- refuse: posts at a fixed, moderate rate, alone and beside floods of requests that are refused: 401s (slugs
 * that nobody has, wrong tokens) and 429s (an endpoint whose hour is used up), each from connections that send as fast as
 * they are answered. Alternating rounds. Shows what a flood does to the good traffic, what one refused request costs
 * (CPU of Node and PostgreSQL above what the good traffic takes by itself), and the gateway's memory.
 */
import { randomBytes } from 'node:crypto';
import { postRequest } from './keep-alive.js';
import { cpuOf, cpuOfTree, memoryOf } from './processes.js';
import { seed, unlimitedProfile } from './seed.js';
import { onStage, OPERATOR_KEY, option } from './stage.js';

const BODY = JSON.stringify({ text: 'A post of the bench, of usual length, as channels get it every day.' });
const MIB = 1_048_576;

/** The plan of good endpoints is unlimited; that of exhausted ones allows nothing, and switches nothing off. */
const profile = () => {
  const unlimited = unlimitedProfile();
  return { ...unlimited, plans: { ...unlimited.plans, pro: { ...unlimited.plans.pro, hourly: 0 } } };
};

export const run = async (args) => {
  const rounds = option(args, 'rounds', 3);
  const seconds = option(args, 'seconds', 5);
  const rate = option(args, 'rate', 200);
  const connections = option(args, 'connections', 32);

  await onStage(profile(), async ({ gateway, generator, postmaster }) => {
    const all = await gateway({ LOG_LEVEL: 'error', ROLES: 'all' });
    const good = await seed(all.url, OPERATOR_KEY, { endpoints: 100, channels: 10 });
    const exhausted = await seed(all.url, OPERATOR_KEY, { endpoints: 20, plan: 'pro' });
    await all.stop();
    const { pid, port } = await gateway({ LOG_LEVEL: 'error', ROLES: 'api' });
    const shoot = generator('traffic.js');

    const post = ({ path, token }) => postRequest(path, { Authorization: `Bearer ${token}` }, BODY);
    const nobody = () => ({ path: `/v1/webhooks/${randomBytes(16).toString('hex')}`, token: tokenLike(good[0].token) });
    const wrong = ({ path, token }) => ({ path, token: tokenLike(token) });
    const stream = (name, requests, more) => ({ name, requests, ...more });
    const posts = stream('posts', good.map(post), { connections: 16, rate });
    const unauthorized = [...Array.from({ length: 1_000 }, nobody), ...good.map(wrong), ...good.map(wrong)].map(post);
    const scenes = {
      alone: { streams: [posts] },
      'beside 401s': { refused: 401, streams: [posts, stream('flood', shuffled(unauthorized), { connections })] },
      'beside 429s': { refused: 429, streams: [posts, stream('flood', exhausted.map(post), { connections })] },
    };

    const measure = async ({ streams, refused }, duration) => {
      const before = { node: cpuOf(pid), postgres: cpuOfTree(postmaster) };
      const shot = await shoot({ port, seconds: duration, streams });
      const cpu = { node: cpuOf(pid) - before.node, postgres: cpuOfTree(postmaster) - before.postgres };
      expectOnly(200, shot.posts.statuses);
      if (shot.flood) expectOnly(refused, shot.flood.statuses);
      const { answered, p50, p99 } = shot.posts;
      const floodRate = (shot.flood?.answered ?? 0) / duration;
      return { rate: answered / duration, p50, p99, floodRate, ...cpu, memory: memoryOf(pid), answered, shot };
    };
    const results = Object.fromEntries(Object.keys(scenes).map((name) => [name, []]));
    for (const scene of Object.values(scenes)) await measure(scene, 2); // warm up
    const startMemory = memoryOf(pid);
    for (let round = 1; round <= rounds; round++) {
      for (const [name, scene] of Object.entries(scenes)) {
        const result = await measure(scene, seconds);
        const alone = results.alone.at(-1) ?? result;
        results[name].push({ ...result, ...costOfRefusals(result, alone) });
        console.log(`round ${round}/${rounds}  ${name.padEnd(11)}  ${line(results[name].at(-1))}`);
      }
    }
    const alone = median(results.alone);
    console.log(`\n${'alone'.padEnd(11)}  ${line(alone)}`);
    for (const name of Object.keys(scenes).slice(1)) {
      const flooded = median(results[name]);
      const times = (key) => `${(flooded[key] / alone[key]).toFixed(2)} ×`;
      console.log(`${name.padEnd(11)}  ${line(flooded)}`);
      console.log(
        `ratio        rate ${times('rate')}   p50 ${times('p50')}   p99 ${times('p99')}   (medians of ${rounds} rounds)`,
      );
    }
    const grown = (memoryOf(pid) - startMemory) / MIB;
    console.log(
      `memory       ${(startMemory / MIB).toFixed(0)} MiB after warming up, ${grown.toFixed(0)} MiB more at the end`,
    );
  });
};

/** CPU time that a refused request takes, µs: what the round took beyond what its posts take alone. */
const costOfRefusals = ({ shot, answered, ...result }, alone) => {
  if (!shot.flood) return { nodeEach: 0, postgresEach: 0 };
  const beyond = (key) => Math.max(0, result[key] - (alone[key] / alone.answered) * answered) / shot.flood.answered;
  return { nodeEach: beyond('node'), postgresEach: beyond('postgres') };
};

/** Another token of the same form. */
const tokenLike = (token) => token.slice(0, -8) + randomBytes(4).toString('hex');

const shuffled = (requests) =>
  requests
    .map((request) => [Math.random(), request])
    .sort(([a], [b]) => a - b)
    .map(([, request]) => request);

const expectOnly = (status, statuses) => {
  if (Object.keys(statuses).join() !== String(status))
    throw new Error(`not all were ${status}: ${JSON.stringify(statuses)}`);
};

const FIGURES = ['rate', 'p50', 'p99', 'floodRate', 'nodeEach', 'postgresEach', 'memory'];
const median = (results) => {
  const middle = (key) => results.map((result) => result[key]).sort((a, b) => a - b)[Math.floor(results.length / 2)];
  return Object.fromEntries(FIGURES.map((key) => [key, middle(key)]));
};

const line = ({ rate, p50, p99, floodRate, nodeEach, postgresEach, memory }) =>
  `${rate.toFixed(0).padStart(5)} posts/s   p50 ${p50.toFixed(1).padStart(6)} ms   p99 ${p99.toFixed(1).padStart(6)} ms   ` +
  `${(memory / MIB).toFixed(0).padStart(4)} MiB` +
  (floodRate > 0
    ? `   ${floodRate.toFixed(0).padStart(5)} refused/s, CPU ${(nodeEach + postgresEach).toFixed(0)} µs each ` +
      `(Node ${nodeEach.toFixed(0)}, PostgreSQL ${postgresEach.toFixed(0)})`
    : '');
