import type { Settings } from '../config/settings.js';
import type { LogIdentity } from '../history/transparency-log/commit-log.js';
import type { HistoryKeys } from '../secrets/history-keys.js';

/** Returns the name and keys of the transparency log. */
export const createLogIdentity = (settings: Settings, { signingKey, sealKey }: HistoryKeys): LogIdentity => ({
  origin: settings.historyOrigin,
  // Known once the server listens.
  get baseUrl() {
    return settings.baseUrl ?? '';
  },
  key: settings.historyKey ?? signingKey,
  sealKey,
});
