/**
 * Minimal publisher in its own process, as a baseline: serialises a message as JSON, POSTs it over keep-alive connections
 * with the gateway's HTTP client, and parses the response. A job is `{ url, calls, connections, seconds }`, where a call is
 * `{ path, message }`; the result is `{ answered }`.
 */
import { Agent } from 'undici';

process.on('message', async (job) => {
  process.send(await post(job));
});

const post = async ({ url, calls, connections, seconds }) => {
  const agent = new Agent({ connections, pipelining: 1 });
  const until = performance.now() + seconds * 1_000;
  let next = 0;
  let answered = 0;
  const lane = async () => {
    while (performance.now() < until) {
      const { path, message } = calls[next++ % calls.length];
      const { body } = await agent.request({
        origin: url,
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      });
      const { ok, result } = await body.json();
      if (ok !== true || !Number.isSafeInteger(result.message_id)) throw new Error('the stand-in rejected a message');
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  await agent.close();
  return { answered };
};
