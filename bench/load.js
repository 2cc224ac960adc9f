/**
 * Load generator in its own process. Each of `connections` keep-alive connections sends its next request when the
 * previous one was answered. With a `rate`, requests are sent at this rate across all connections, and each is timed
 * from when it was due, even if no connection was free then. Most of each request is prepared in advance, so that the
 * generator costs little. Each has its own idempotency key, unless `isKeyed` is false. Jobs arrive by IPC; the result
 * is `{ answered, statuses, p50, p99, seconds }` (ms).
 */
import { connect } from 'node:net';

process.on('message', async (job) => {
  process.send(await generateLoad(job));
});

const generateLoad = async ({ port, connections, seconds, targets, body, rate = Infinity, isKeyed = true }) => {
  const latencies = [];
  const statuses = {};
  let counter = 0;
  const begin = performance.now();
  const until = begin + seconds * 1_000;
  /** Send functions of connections that wait until the next request is due. */
  const free = [];
  let due = 0;

  const runConnection = (index) =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.setNoDelay(true);
      let sentAt = 0;
      let pending = '';
      const next = () => {
        if (rate === Infinity || performance.now() >= until) send(performance.now());
        else free.push(send);
      };
      const send = (now) => {
        if (now >= until) {
          socket.destroy();
          resolve();
          return;
        }
        const { path, token } = targets[(counter + index * 7) % targets.length];
        counter += 1;
        const text = body.replace('$N', String(counter));
        sentAt = now;
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
            (isKeyed ? `Idempotency-Key: ${process.pid}-${job()}-${counter}\r\n` : '') +
            `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
        );
      };
      socket.on('connect', next);
      socket.on('data', (chunk) => {
        pending += chunk.toString('latin1');
        const end = pending.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = Number(/content-length: *(\d+)/i.exec(pending.slice(0, end))?.[1] ?? 0);
        if (pending.length < end + 4 + length) return;
        latencies.push(performance.now() - sentAt);
        const status = pending.slice(9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
        pending = '';
        next();
      });
      socket.on('error', reject);
    });

  const clock = setInterval(() => {
    if (performance.now() >= until) for (const send of free.splice(0)) send(until);
    for (; free.length > 0 && begin + (due / rate) * 1_000 <= performance.now(); due++)
      free.shift()(begin + (due / rate) * 1_000);
  }, 1);
  await Promise.all(Array.from({ length: connections }, (_, i) => runConnection(i)));
  clearInterval(clock);
  const elapsed = (performance.now() - begin) / 1_000;
  latencies.sort((a, b) => a - b);
  const quantile = (q) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))];
  jobs += 1;
  return { answered: latencies.length, statuses, p50: quantile(0.5), p99: quantile(0.99), seconds: elapsed };
};

let jobs = 0;
const job = () => jobs;
