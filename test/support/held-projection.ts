import { Client } from 'pg';

/** Keeps a projection from showing any later event while an action runs. */
export const whileHeld = async <T>(
  connectionString: string | undefined,
  projection: string,
  action: () => Promise<T>,
): Promise<T> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select from ops_checkpoint where name = $1 for update', [projection]);
    return await action();
  } finally {
    await client.end();
  }
};
