/**
 * Minimal sender of webhooks in its own process, as a baseline: signs a body twice, like a delivery, and POSTs it over
 * keep-alive connections with the gateway's HTTP client, one request at a time per loop. A job is `{ port, body, loops,
 * seconds }`; the result is `{ answered }`.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { Agent } from 'undici';

const SECRET = 'a secret of the bench, as long as those of outputs';
const hmac = (text) => createHmac('sha256', SECRET).update(text);

process.on('message', async (job) => {
  process.send(await post(job));
});

const post = async ({ port, body, loops, seconds }) => {
  const agent = new Agent({ connections: loops, pipelining: 1 });
  const until = performance.now() + seconds * 1_000;
  let answered = 0;
  const loop = async (_, i) => {
    while (performance.now() < until) {
      const id = randomUUID();
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const answer = await agent.request({
        origin: `http://127.0.0.1:${port}`,
        path: `/out/${i}`,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-service-signature': `sha256=${hmac(body).digest('hex')}`,
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${hmac(`${id}.${timestamp}.${body}`).digest('base64')}`,
        },
        body,
      });
      await answer.body.dump();
      if (answer.statusCode !== 204) throw new Error(`answered with ${answer.statusCode}`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  await agent.close();
  return { answered };
};
