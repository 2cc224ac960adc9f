import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import type { StoreNotes } from '../event-store/port.js';
import type { LogIdentity } from '../history/transparency-log/log-tables.js';
import { PublishedCheckpoints } from '../history/transparency-log/published-checkpoint.js';
import type { HistoryKeys } from '../secrets/key-ring.js';

/**
 * Opens the record of the newest published checkpoint.
 * @param notes notes in the event store; null if the database is the event store
 */
export const openPublishedCheckpoints = (
  { dataDir }: Pick<Settings, 'dataDir'>,
  notes: StoreNotes | null,
  storeId: () => string | null,
): PublishedCheckpoints => new PublishedCheckpoints(notes, join(dataDir, 'history-checkpoints'), storeId);

/** Returns the name and keys of the transparency log. */
export const createLogIdentity = (settings: Settings, { signingKey, sealKey }: HistoryKeys): LogIdentity => ({
  origin: settings.historyOrigin,
  // The base URL may be unknown until the server listens.
  get baseUrl() {
    return settings.baseUrl ?? '';
  },
  key: settings.historyKey ?? signingKey,
  sealKey,
});
