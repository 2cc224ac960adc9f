/**
 * Server that reads every request and answers 200 with an empty object. Floods and attacks are sent to it in calm
 * rounds, so that their generators work as hard as in the other rounds. The request headers `x-answer-bytes` and
 * `x-answer-after` (ms) ask for an answer of that size after that time. A GET that opens a session of the assistant
 * tools (`/sse/…`) gets an address, and stays open.
 */
import { createServer } from 'node:http';

/** The answers so far, by size. They share their bytes, as the answers of a busy server do. */
const answers = new Map();
const answerOf = (bytes) => {
  const answer = answers.get(bytes) ?? Buffer.alloc(bytes, ' ').fill('{}', 0, 2);
  if (!answers.has(bytes)) answers.set(bytes, answer);
  return answer;
};

const server = createServer((request, response) => {
  const { method, url, headers } = request;
  if (method === 'GET' && url.startsWith('/sse/')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.write('event: endpoint\ndata: /sse/messages\n\n');
  }
  const body = answerOf(Math.max(2, Number(headers['x-answer-bytes'] ?? 2)));
  const answer = () => response.writeHead(200, { 'content-length': body.length }).end(body);
  request.resume();
  request.on('end', () => {
    const after = Number(headers['x-answer-after'] ?? 0);
    if (after >= 1) setTimeout(answer, after);
    else answer();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
