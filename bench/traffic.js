/**
 * Traffic from a process of its own, good and bad at the same time. A job is a list of streams
 * `{ name, requests, connections, rate }`: with a rate (requests a second, over all its connections) requests leave at
 * their times, and a latency counts from when the request was due, so that a stall is not left out; without one, each
 * connection sends when the last was answered. Answers for each stream `{ answered, statuses, p50, p99 }` (ms).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from './keep-alive.js';

process.on('message', async ({ port, seconds, streams }) => {
  const until = performance.now() + seconds * 1_000;
  const results = await Promise.all(streams.map((stream) => runStream(port, stream, until)));
  process.send({ seconds, ...Object.fromEntries(results.map((result, i) => [streams[i].name, result])) });
});

const runStream = async (port, { requests, connections, rate }, until) => {
  const latencies = [];
  const statuses = {};
  const startedAt = performance.now();
  let sent = 0;
  const lane = async () => {
    const connection = await openConnection(port);
    for (;;) {
      const index = sent++;
      const dueAt = rate ? startedAt + (index / rate) * 1_000 : performance.now();
      if (dueAt >= until) break;
      if (dueAt > performance.now()) await sleep(dueAt - performance.now());
      const { status } = await connection.ask(requests[index % requests.length]);
      latencies.push(performance.now() - dueAt);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (performance.now() >= until) break;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, lane));
  latencies.sort((a, b) => a - b);
  const quantile = (q) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))];
  return { answered: latencies.length, statuses, p50: quantile(0.5), p99: quantile(0.99) };
};
