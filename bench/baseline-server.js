/**
 * Minimal server for accepting posts, as a baseline: parses the body, hashes the token and looks it up, does one INSERT
 * and responds. A plain node:http server with a connection pool to the same PostgreSQL.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

const { DATABASE_URL, TOKENS } = process.env;
const hash = (token) => createHash('sha256').update(token).digest('hex');
const known = new Set(JSON.parse(TOKENS).map(hash));
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
await pool.query(
  'create table if not exists baseline (id uuid primary key default gen_random_uuid(), token_hash text not null, body jsonb not null)',
);

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const token = (request.headers.authorization ?? '').slice('Bearer '.length);
    const tokenHash = hash(token);
    if (!known.has(tokenHash)) {
      response.writeHead(401).end();
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const insert = 'insert into baseline (token_hash, body) values ($1, $2) returning id';
    const { rows } = await pool.query(insert, [tokenHash, body]);
    const responseBody = JSON.stringify({ ok: true, id: rows[0].id });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(responseBody) });
    response.end(responseBody);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`ready ${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
