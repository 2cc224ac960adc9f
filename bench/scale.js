/**
 * bench -- scale: simulates a day of many posts with measured costs, and finds how many gateway groups (each with its
 * own PostgreSQL) it takes for publications to start in time. Nothing is measured here: COSTS says which benches did.
 * See docs/scale.md. Options: --posts=1e6,1e7,1e8,1e9 (posts a day), --cores (of a PostgreSQL server), --seed.
 */
import { readOption } from './environment.js';

/** Medians of docs/scale.md, for posts of 200 characters with one target. */
const COSTS = {
  /** CPU time of Node to accept a post, in µs (`accept`). */
  api: 245,
  /** CPU time of Node to publish on one channel, read models included, in µs (`publish`). */
  worker: 1_000,
  /** CPU time of PostgreSQL to accept a post, and to publish it on one channel, in µs (`accept`, `publish`). */
  postgres: { accept: 186, publish: 450 },
  /** Events that the slowest read model takes in a second, alone (`rebuild`): it is one writer, whatever the cores. */
  laneEvents: 9_500,
  /** Events of a post that is published. */
  events: 3,
  /** Bytes that stay for ever, and that are written to the WAL, for a post with one target (`growth`, `publish`). */
  bytes: { kept: 13_000, wal: 13_500 },
};

/** Share of a server's processors that may be in use without queues of their own. */
const USABLE = 0.7;
/** How long a publication may wait at p99, in ms. */
const GOAL_MS = 1_000;
/** Share of a day's posts in each hour (UTC+3, as in Moscow): few at night, most at nine. */
const HOURS = [0.5, 0.3, 0.2, 0.2, 0.3, 0.8, 2, 4, 7, 12, 8, 7, 7, 6, 6, 6, 6, 6, 6, 5, 4, 3, 2, 0.7];
/** Share of an hour's posts that come in its first minute: people plan for the full hour. */
const FIRST_MINUTE = 0.15;
const FIRST_SECOND = 0.1; // of the first minute's posts

export const run = (args) => {
  const days = (args.find((arg) => arg.startsWith('--posts='))?.split('=')[1] ?? '1e6,1e7,1e8,1e9')
    .split(',')
    .map(Number);
  const cores = readOption(args, 'cores', 32);
  const random = randomOf(readOption(args, 'seed', 1));
  const capacity = capacityOf(cores);
  console.log(`a group with ${cores} cores of PostgreSQL, posts with one target`);
  for (const [part, perSecond] of Object.entries(capacity.parts))
    console.log(`  ${part.padEnd(24)} ${whole(perSecond)} posts/s`);
  console.log(
    '\nposts a day   busiest second   groups   p99 of the wait   CPUs: api, worker, PostgreSQL   TB a year   WAL MB/s',
  );
  for (const posts of days) {
    const { groups, p99, busiest } = findGroups(posts, capacity.all, random);
    const minute = busiest.minute;
    const cpus = [COSTS.api, COSTS.worker, COSTS.postgres.accept + COSTS.postgres.publish];
    console.log(
      [
        posts.toExponential(0).padStart(11),
        whole(busiest.second).padStart(16),
        String(groups).padStart(8),
        `${p99.toFixed(2)} s`.padStart(17),
        cpus
          .map((us) => Math.max(1, Math.ceil((minute * us) / 1e6 / USABLE)))
          .join(', ')
          .padStart(31),
        ((posts * 365 * COSTS.bytes.kept) / 1e12).toFixed(1).padStart(11),
        ((busiest.second * COSTS.bytes.wal) / 1e6 / groups).toFixed(0).padStart(10),
      ].join(' '),
    );
  }
};

/** Posts a second that each part of a group can take; `all` is the least. */
const capacityOf = (cores) => {
  const parts = {
    'processors of PostgreSQL': (cores * USABLE * 1e6) / (COSTS.postgres.accept + COSTS.postgres.publish),
    'slowest read model': COSTS.laneEvents / COSTS.events,
  };
  return { parts, all: Math.min(...Object.values(parts)) };
};

/** Finds the fewest groups with which the p99 of the wait meets the goal, by doubling and then halving the interval. */
const findGroups = (posts, capacity, random) => {
  const attempt = (groups) => simulateDay(posts / groups, capacity, random);
  const isMet = ({ p99 }) => p99 * 1_000 <= GOAL_MS;
  let [high, found] = [1, attempt(1)];
  while (!isMet(found)) found = attempt((high *= 2));
  let low = high >> 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const day = attempt(middle);
    if (isMet(day)) [high, found] = [middle, day];
    else low = middle;
  }
  const { p99, busiest } = found;
  return { groups: high, p99, busiest: { second: busiest.second * high, minute: busiest.minute * high } };
};

/**
 * Simulates the queue of one group, second by second: the owners are spread evenly, and each second brings a random
 * number of posts. Returns the wait of posts at p99, in s, and the posts of the busiest second and minute (on average).
 */
const simulateDay = (posts, capacity, random) => {
  const total = HOURS.reduce((sum, share) => sum + share, 0);
  const waits = [];
  let [queue, second, minute] = [0, 0, 0];
  for (let hour = 0; hour < 24; hour++) {
    const ofHour = (posts * HOURS[hour]) / total;
    let ofMinute = 0;
    for (let s = 0; s < 3_600; s++) {
      if (s % 60 === 0) ofMinute = 0;
      const came = poisson(expectedIn(s, ofHour), random);
      second = Math.max(second, came);
      ofMinute += came;
      minute = Math.max(minute, ofMinute / 60);
      // On average, a post waits for the queue before it and for half of those that came in the same second.
      if (came > 0) waits.push([(queue + Math.max(0, came - capacity) / 2) / capacity, came]);
      queue = Math.max(0, queue + came - capacity);
    }
  }
  return { p99: weightedQuantile(waits, 0.99), busiest: { second, minute } };
};

/** Posts expected in a second of an hour. */
const expectedIn = (second, ofHour) => {
  if (second >= 60) return (ofHour * (1 - FIRST_MINUTE)) / 3_540;
  const inMinute = ofHour * FIRST_MINUTE;
  return second === 0 ? inMinute * FIRST_SECOND : (inMinute * (1 - FIRST_SECOND)) / 59;
};

const weightedQuantile = (pairs, share) => {
  const sorted = pairs.toSorted(([a], [b]) => a - b);
  let rest = sorted.reduce((sum, [, weight]) => sum + weight, 0) * share;
  return (sorted.find(([, weight]) => (rest -= weight) <= 0) ?? sorted.at(-1) ?? [0])[0];
};

/** A number of arrivals: exact for few, by the normal distribution for many. */
const poisson = (mean, random) => {
  if (mean > 100) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let [count, product] = [0, random()];
  for (; product > limit; count++) product *= random();
  return count;
};

const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Mulberry32: the same seed gives the same day. */
const randomOf = (seed) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const whole = (value) => value.toFixed(0).padStart(7);
