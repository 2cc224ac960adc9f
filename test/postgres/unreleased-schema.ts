import { Client } from 'pg';

/** Creates the migrations table as unreleased versions of the program left it, with their eleven migrations. */
export const createUnreleasedSchema = async (connectionString: string): Promise<void> => {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(`
    create table ops_migration (
      number int primary key, name text not null, checksum text not null, at timestamptz not null default now());
    insert into ops_migration (number, name, checksum)
    select number, name, repeat('0', 64) from unnest(array['setting', 'operations', 'limits', 'quota-holds', 'recent-keys',
      'pace', 'short-bursts', 'known-keys', 'settled-plans', 'append-conditions', 'lease-terms'])
      with ordinality migration (name, number)`);
  await client.end();
};
