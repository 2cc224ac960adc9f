/**
 * The least that a publisher could do, as a process of its own: take a message, write it as JSON, POST it over kept alive
 * connections with the HTTP client that the gateway uses, read the answer's JSON. A job is
 * `{ url, calls, connections, seconds }`, where a call is `{ path, message }`; answers `{ answered }`.
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
      if (ok !== true || !Number.isSafeInteger(result.message_id)) throw new Error('the stand-in refused a message');
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  await agent.close();
  return { answered };
};
