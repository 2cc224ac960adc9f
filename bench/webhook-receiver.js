/**
 * Customers' servers in a separate process, each at a path `/out/<n>` (those below `/ignored/` are not
 * counted): they count deliveries, and measure each delivery's delay since the `at` or `published_at` in its body. Jobs: `{ latency }` starts to listen and returns `{ port }`; `{ read }`
 * returns counts; `{ delays }` returns the delays of all but the first server in ms; `{ reset }` clears them; `{ slowMs
 * }` sets the delay of the first server's answers.
 */
import { createServer } from 'node:http';

let [latency, slowMs, count] = [0, 0, 0];
let delays = [];

const server = createServer((request, response) => {
  const arrivedAt = Date.now();
  const isFirst = request.url === '/out/0';
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    const body = JSON.parse(text);
    const at = body.at ?? Date.parse(body.published_at);
    if (at > 0 && !request.url.startsWith('/ignored/')) {
      count += 1;
      if (!isFirst) delays.push(arrivedAt - at);
    }
    setTimeout(() => response.writeHead(204).end(), isFirst && slowMs > 0 ? slowMs : latency);
  });
});

process.on('message', (job) => {
  if (job.latency !== undefined) {
    latency = job.latency;
    server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
    return;
  }
  if (job.slowMs !== undefined) slowMs = job.slowMs;
  if (job.reset) delays = [];
  process.send(job.delays ? { delays } : { count, others: delays.length });
});
