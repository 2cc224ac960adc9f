/**
 * Load generator in its own process that sends posts at a fixed rate. The text of each post contains the time at which it
 * was due, so that its delay can be measured on arrival, including stalls of this process. A job is
 * `{ port, targets, connections, rate, seconds, publishAfterMs }`; the result is `{ sent, latencies }`, the responses' latencies in ms.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { formatPostRequest, openConnection } from './keep-alive.js';

process.on('message', async (job) => {
  process.send(await post(job));
});

const post = async ({ port, targets, connections, rate, seconds, publishAfterMs = null }) => {
  const startedAt = Date.now();
  const latencies = [];
  let next = 0;
  const lane = async () => {
    const connection = await openConnection(port);
    for (;;) {
      const index = next++;
      const dueAt = startedAt + (index / rate) * 1_000;
      if (dueAt >= startedAt + seconds * 1_000) break;
      if (dueAt > Date.now()) await sleep(dueAt - Date.now());
      const { path, token } = targets[index % targets.length];
      const at = Math.floor(dueAt + (publishAfterMs ?? 0));
      const plan = publishAfterMs === null ? {} : { publish_at: new Date(at).toISOString() };
      const text = `A post of usual length, as channels get it every day. Due at ${publishAfterMs === null ? dueAt : at}`;
      const body = JSON.stringify({ text, ...plan });
      const { status } = await connection.sendRequest(
        formatPostRequest(path, { Authorization: `Bearer ${token}` }, body),
      );
      if (status !== 200) throw new Error(`a post was answered with ${status}`);
      latencies.push(Date.now() - dueAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return { sent: latencies.length, latencies };
};
