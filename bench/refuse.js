/**
 * bench -- refuse: sends posts at a fixed, moderate rate, alone and together with floods of requests that are refused: 401s
 * (unknown slugs, wrong tokens) and 429s (endpoints whose hourly quota is used up). The floods' connections send as fast as
 * they get responses. Alternating rounds. Shows the effect of a flood on the good traffic, the cost of one refused request
 * (CPU of Node and PostgreSQL, for a flood alone, because posts and a flood share batches and their costs cannot be
 * separated), and the gateway's memory.
 */
import { randomBytes } from 'node:crypto';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { formatPostRequest } from './keep-alive.js';
import { readCpuTime, readCpuTimeOfTree, readMemory } from './processes.js';
import { seed, unlimitedProfile } from './seed.js';

const BODY = JSON.stringify({ text: 'A post of the bench, of usual length, as channels get it every day.' });
const MIB = 1_048_576;

/**
 * Returns a profile in which the good endpoints' plan is unlimited and the exhausted endpoints' plan allows no posts,
 * but never disables an endpoint.
 */
const profile = () => {
  const unlimited = unlimitedProfile();
  return { ...unlimited, plans: { ...unlimited.plans, pro: { ...unlimited.plans.pro, hourly: 0 } } };
};

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 3);
  const seconds = readOption(args, 'seconds', 5);
  const rate = readOption(args, 'rate', 200);
  const connections = readOption(args, 'connections', 32);

  await withBenchEnvironment(profile(), async ({ startGateway, startGenerator, postmaster }) => {
    const all = await startGateway({ LOG_LEVEL: 'error', ROLES: 'all' });
    const good = await seed(all.url, OPERATOR_KEY, { endpoints: 100, channels: 10 });
    const exhausted = await seed(all.url, OPERATOR_KEY, { endpoints: 20, plan: 'pro' });
    await all.stop();
    const { pid, port } = await startGateway({ LOG_LEVEL: 'error', ROLES: 'api' });
    const generateLoad = startGenerator('traffic.js');

    const post = ({ path, token }) => formatPostRequest(path, { Authorization: `Bearer ${token}` }, BODY);
    const unknownEndpoint = () => ({
      path: `/v1/webhooks/${randomBytes(16).toString('hex')}`,
      token: similarToken(good[0].token),
    });
    const wrongToken = ({ path, token }) => ({ path, token: similarToken(token) });
    const stream = (name, requests, more) => ({ name, requests, ...more });
    const posts = stream('posts', good.map(post), { connections: 16, rate });
    const unauthorized = [
      ...Array.from({ length: 1_000 }, unknownEndpoint),
      ...good.map(wrongToken),
      ...good.map(wrongToken),
    ].map(post);
    const floods = {
      '401s': { status: 401, stream: stream('flood', shuffled(unauthorized), { connections }) },
      '429s': { status: 429, stream: stream('flood', exhausted.map(post), { connections }) },
    };
    const scenes = {
      posts: { streams: [posts] },
      ...Object.fromEntries(
        Object.entries(floods).flatMap(([name, { status, stream: flood }]) => [
          [`posts, ${name}`, { status, streams: [posts, flood] }],
          [name, { status, streams: [flood] }],
        ]),
      ),
    };

    const measure = async ({ streams, status }, duration) => {
      const before = { node: readCpuTime(pid), postgres: readCpuTimeOfTree(postmaster) };
      const { posts: good, flood } = await generateLoad({ port, seconds: duration, streams });
      const cpu = { node: readCpuTime(pid) - before.node, postgres: readCpuTimeOfTree(postmaster) - before.postgres };
      if (good) expectOnly(200, good.statuses);
      if (flood) expectOnly(status, flood.statuses);
      return {
        ...(good && { rate: good.answered / duration, p50: good.p50, p99: good.p99 }),
        ...(flood && { refused: flood.answered / duration }),
        ...(!good && { nodeEach: cpu.node / flood.answered, postgresEach: cpu.postgres / flood.answered }),
        memory: readMemory(pid),
      };
    };
    const results = Object.fromEntries(Object.keys(scenes).map((name) => [name, []]));
    for (const scene of Object.values(scenes)) await measure(scene, Math.min(2, seconds)); // warm up
    const startMemory = readMemory(pid);
    for (let round = 1; round <= rounds; round++) {
      for (const [name, scene] of Object.entries(scenes)) {
        const result = await measure(scene, seconds);
        results[name].push(result);
        console.log(`round ${round}/${rounds}  ${line(name, result)}`);
      }
    }
    console.log(`\nmedians of ${rounds} rounds`);
    const medians = Object.fromEntries(Object.entries(results).map(([name, all]) => [name, median(all)]));
    for (const [name, result] of Object.entries(medians)) console.log(line(name, result));
    for (const name of Object.keys(floods)) {
      const times = (key) => `${(medians[`posts, ${name}`][key] / medians.posts[key]).toFixed(2)} ×`;
      console.log(
        `posts with ${name} to posts alone: rate ${times('rate')}   p50 ${times('p50')}   p99 ${times('p99')}`,
      );
    }
    const grown = (readMemory(pid) - startMemory) / MIB;
    console.log(
      `memory: ${(startMemory / MIB).toFixed(0)} MiB after the warm-up, ${grown.toFixed(0)} MiB more at the end`,
    );
  });
};

/** Returns another token of the same format. */
const similarToken = (token) => token.slice(0, -8) + randomBytes(4).toString('hex');

const shuffled = (requests) =>
  requests
    .map((request) => [Math.random(), request])
    .sort(([a], [b]) => a - b)
    .map(([, request]) => request);

const expectOnly = (status, statuses) => {
  if (Object.keys(statuses).join() !== String(status))
    throw new Error(`not all were ${status}: ${JSON.stringify(statuses)}`);
};

const median = (results) => {
  const middle = (key) => results.map((result) => result[key]).sort((a, b) => a - b)[Math.floor(results.length / 2)];
  return Object.fromEntries(Object.keys(results[0]).map((key) => [key, middle(key)]));
};

const line = (name, { rate, p50, p99, refused, nodeEach, postgresEach, memory }) =>
  [
    name.padEnd(11),
    rate === undefined ? ''.padEnd(44) : `${whole(rate, 5)} posts/s   p50 ${ms(p50)}   p99 ${ms(p99)}`,
    refused === undefined ? '' : `${whole(refused, 5)} refused/s`,
    nodeEach === undefined
      ? ''
      : `CPU ${whole(nodeEach + postgresEach)} µs each (Node ${whole(nodeEach)}, PostgreSQL ${whole(postgresEach)})`,
    `${whole(memory / MIB)} MiB`,
  ]
    .filter((part) => part !== '')
    .join('   ');

const whole = (value, width = 0) => value.toFixed(0).padStart(width);
const ms = (value) => `${value.toFixed(1).padStart(6)} ms`;
