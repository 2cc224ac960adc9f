/**
 * Load from a process of its own: `connections` keep-alive connections, each sending the next request when the last was
 * answered. Requests come prepared, so that the generator costs as little as can be. Told what to do by IPC; answers
 * `{ answered, statuses, p50, p99, seconds }` (ms).
 */
import { connect } from 'node:net';

process.on('message', async (job) => {
  process.send(await shoot(job));
});

const shoot = async ({ port, connections, seconds, targets, body }) => {
  const latencies = [];
  const statuses = {};
  let counter = 0;
  const until = performance.now() + seconds * 1_000;

  const runOne = (index) =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.setNoDelay(true);
      let sentAt = 0;
      let pending = '';
      const send = () => {
        const now = performance.now();
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
            `Idempotency-Key: ${process.pid}-${job()}-${counter}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
        );
      };
      socket.on('connect', send);
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
        send();
      });
      socket.on('error', reject);
    });

  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, (_, i) => runOne(i)));
  const elapsed = (performance.now() - startedAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const quantile = (q) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))];
  jobs += 1;
  return { answered: latencies.length, statuses, p50: quantile(0.5), p99: quantile(0.99), seconds: elapsed };
};

let jobs = 0;
const job = () => jobs;
