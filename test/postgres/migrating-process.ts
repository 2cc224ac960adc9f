/** Waits for a line on stdin, then migrates the database: `migrating-process.ts <connection string>`. */
import { once } from 'node:events';
import { createLogger } from '../../src/config/logger.js';
import { migrate } from '../../src/postgres/migrations.js';

const [, , connectionString = ''] = process.argv;
const step = (number: number): { number: number; name: string; sql: string } => ({
  number,
  name: `step-${number}`,
  sql: `${number === 1 ? 'create table steps (step int);' : ''} insert into steps values (${number}); select pg_sleep(0.1)`,
});

process.stdout.write('ready\n');
await once(process.stdin, 'data');
await migrate(connectionString, { numbered: [1, 2, 3].map(step), repeatable: [] }, createLogger({ logLevel: 'info' }));
process.exit();
