/**
 * The least that a service of this kind could do: parse the body, hash the token and look it up, one INSERT, answer.
 * A bare node:http server over a pool of connections to the same PostgreSQL.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

const { DATABASE_URL, TOKENS } = process.env;
const hash = (token) => createHash('sha256').update(token).digest('hex');
const known = new Set(JSON.parse(TOKENS).map(hash));
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
await pool.query('create table if not exists baseline (id bigserial primary key, body text not null)');

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const token = (request.headers.authorization ?? '').slice('Bearer '.length);
    if (!known.has(hash(token))) {
      response.writeHead(401).end();
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const { rows } = await pool.query({
      name: 'insert',
      text: 'insert into baseline (body) values ($1) returning id',
      values: [JSON.stringify(body)],
    });
    const answer = JSON.stringify({ ok: true, id: rows[0].id });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`ready ${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
