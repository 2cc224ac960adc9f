/**
 * Load generator in its own process that sends several streams of requests at the same time. A stream is `{ name,
 * requests, connections, rate }`. With a rate (requests per second across all its connections), requests are sent when
 * they are due, and latencies are measured from that time, so that stalls are included. Without a rate, each connection
 * sends its next request when the previous one was answered. The result per stream is `{ answered, statuses, p50, p99
 * }` (ms).
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
      const { status } = await connection.sendRequest(requests[index % requests.length]);
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
