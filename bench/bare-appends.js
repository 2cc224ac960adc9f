/**
 * Minimal event store client in its own process, as a baseline: appends one event to a new stream per request, with the
 * given number of concurrent requests. A job is `{ url, event, connections, seconds }`; the result is
 * `{ answered, p50, p99, seconds }` (ms).
 */
import { jsonEvent, KurrentDBClient, NO_STREAM } from '@kurrent/kurrentdb-client';

let client;
let appended = 0;

process.on('message', async (job) => {
  process.send(await append(job));
});

const append = async ({ url, event, connections, seconds }) => {
  client ??= KurrentDBClient.connectionString(url);
  const latencies = [];
  const begin = performance.now();
  const until = begin + seconds * 1_000;
  const lane = async () => {
    for (let now = begin; now < until;) {
      const stream = `bench-${process.pid}-${appended++}`;
      await client.appendToStream(stream, jsonEvent(event), { streamState: NO_STREAM });
      const answeredAt = performance.now();
      latencies.push(answeredAt - now);
      now = answeredAt;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  latencies.sort((a, b) => a - b);
  const quantile = (q) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))];
  const elapsed = (performance.now() - begin) / 1_000;
  return { answered: latencies.length, p50: quantile(0.5), p99: quantile(0.99), seconds: elapsed };
};
