/**
 * Kinds of requests in random order, each `n` times, from a process of its own: a job `{ port, connections, n, kinds }`,
 * where a kind is a list of prepared requests, is answered with the latencies of each kind (ms) and a count of statuses.
 */
import { openConnection } from './keep-alive.js';

process.on('message', async ({ port, connections, n, kinds }) => {
  const names = Object.keys(kinds);
  const order = shuffled(names.flatMap((name) => Array.from({ length: n }, (_, i) => [name, i])));
  const times = Object.fromEntries(names.map((name) => [name, []]));
  const statuses = {};
  let next = 0;
  const lane = async () => {
    const connection = await openConnection(port);
    while (next < order.length) {
      const [name, i] = order[next++];
      const { status, ms } = await connection.ask(kinds[name][i % kinds[name].length]);
      times[name].push(ms);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, lane));
  process.send({ times, statuses });
});

/** Fisher and Yates: every order is as likely. */
const shuffled = (items) => {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j], items[i]];
  }
  return items;
};
