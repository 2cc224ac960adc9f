/**
 * Load generator in its own process that sends several kinds of requests in random order, `n` of each kind. A job is
 * `{ port, connections, n, kinds }`, where a kind is a list of prepared requests. The result holds the latencies of each
 * kind (ms) and the number of responses per status.
 */
import { openConnection } from './keep-alive.js';

process.on('message', async ({ port, connections, n, kinds }) => {
  const names = Object.keys(kinds);
  const order = shuffle(names.flatMap((name) => Array.from({ length: n }, (_, i) => [name, i])));
  const times = Object.fromEntries(names.map((name) => [name, []]));
  const statuses = {};
  let next = 0;
  const lane = async () => {
    const connection = await openConnection(port);
    while (next < order.length) {
      const [name, i] = order[next++];
      const { status, ms } = await connection.sendRequest(kinds[name][i % kinds[name].length]);
      times[name].push(ms);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, lane));
  process.send({ times, statuses });
});

/** Shuffles items in place (Fisher-Yates): every order is equally likely. */
const shuffle = (items) => {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j], items[i]];
  }
  return items;
};
