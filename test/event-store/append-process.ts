/** Process that executes an append plan: `append-process.ts <kurrentdb|postgres> <connection string> <plan in JSON>`. */
import { KurrentEventStore } from '../../src/event-store/kurrentdb/kurrent-event-store.js';
import { PostgresEventStore } from '../../src/event-store/postgres/postgres-event-store.js';
import { type AppendPlan, executePlan } from './contract/append-plan.js';

const [adapter, connectionString = '', plan = ''] = process.argv.slice(2);
const store =
  adapter === 'kurrentdb' ? new KurrentEventStore({ connectionString }) : new PostgresEventStore({ connectionString });
await executePlan(JSON.parse(plan) as AppendPlan, store);
await store.close();
