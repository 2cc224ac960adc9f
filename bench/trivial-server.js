/**
 * Server that reads every request and answers 200 with an empty object. Floods are sent to it in calm rounds, so that their
 * generators work as hard as in the flooded ones.
 */
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(200, { 'content-length': 2 }).end('{}'));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
