import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { completeKeys } from '../../config/generated-keys.js';
import type { Settings } from '../../config/settings.js';
import { StoreRecords } from '../../event-store/store-records.js';
import { newUuid } from '../../kernel/ids.js';
import { KeyRing } from '../../secrets/key-ring.js';
import { openDatabase } from '../database.js';
import { addressOf, openAdapter, openRecovery } from '../event-store.js';
import { RESET_MESSAGES } from '../messages.js';
import { Resources } from '../process-options.js';

/**
 * Points the database at the event store from the settings, as after a restore: the same recovery, for a store that has
 * another identity. Returns a human-readable report.
 * @throws Error with a human-readable message if the database is in use
 */
export const resetToStore = async (settings: Settings, log: Logger): Promise<string> => {
  const resources = new Resources(log);
  try {
    const options = { settings, log };
    const { secretsKey } = await completeKeys(settings);
    const ring = new KeyRing(secretsKey, settings.secretsKeysPrevious);
    const database = await openDatabase(options, ring, resources);
    await checkUnused(database.pool);
    const store = await openAdapter(options, database, resources);
    await resources.add(() => store.close());
    const { recorded } = await new StoreRecords(database.pool).read();
    const id = (await store.readIdentity()).id ?? (await store.createIdentity(newUuid()));
    const recovery = openRecovery(options, database, store, () => recorded?.id ?? null);
    const address = addressOf(settings);
    const noticed = { running: null, setting: null, readModelsAhead: true, newStore: { id, address } };
    const { taken, doubtful, logEnded } = await recovery.run(id, noticed);
    const former = recorded?.id ?? 'none';
    return RESET_MESSAGES.done({ id, address, former, taken, doubtful, log: logEnded ? RESET_MESSAGES.logEnds : '' });
  } finally {
    await resources.closeAll();
  }
};

/** Checks that no gateway uses the database. Every gateway has a session for notifications. @throws Error */
const checkUnused = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and application_name = 'crosspost notifications'`,
  );
  const { count } = rows[0]!;
  if (count > 0) throw new Error(RESET_MESSAGES.inUse({ count }));
};
