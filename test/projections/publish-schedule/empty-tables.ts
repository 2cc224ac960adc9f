import { Client } from 'pg';
import { type Projection, readSchema, tableSchema } from '../../../src/projections/engine/projection.js';
import type { TestPostgres } from '../../support/postgres.js';

/** Creates a read model's empty tables and views, and a connection whose search path is the schema of the tables. */
export const createEmptyTables = async (postgres: TestPostgres, projection: Projection, version: number) => {
  const [schema, views] = [tableSchema(projection.name, version), readSchema(projection.name, projection.version)];
  const client = new Client({ connectionString: postgres.connectionString });
  await client.connect();
  await client.query(`create schema ${schema}; set search_path to ${schema}; ${projection.tables}`);
  await client.query(projection.readIndexes ?? '');
  const create = projection.views.map((view) => `create view ${views}.${view} as select * from ${schema}.${view};`);
  await client.query(`drop schema if exists ${views} cascade; create schema ${views}; ${create.join(' ')}`);
  return { client, schema };
};
