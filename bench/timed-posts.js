/**
 * Posts at a fixed rate, each carrying the moment at which it was due in its text, so that its arrival tells how long it
 * was under way, stalls of this process included. A job is `{ port, targets, connections, rate, seconds }`; answers
 * `{ sent, latencies }`: of the answers, ms.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection, postRequest } from './keep-alive.js';

process.on('message', async (job) => {
  process.send(await post(job));
});

const post = async ({ port, targets, connections, rate, seconds }) => {
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
      const body = JSON.stringify({ text: `A post of usual length, as channels get it every day. Due at ${dueAt}` });
      const { status } = await connection.ask(postRequest(path, { Authorization: `Bearer ${token}` }, body));
      if (status !== 200) throw new Error(`a post was answered ${status}`);
      latencies.push(Date.now() - dueAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return { sent: latencies.length, latencies };
};
