import type { Keys } from '../config/generated-keys.js';
import type { Settings } from '../config/settings.js';
import type { LogIdentity } from '../history/transparency-log/commit-log.js';
import { deriveHistoryKey, deriveSealKey } from '../history/transparency-log/signed-note.js';

/** Returns the name and keys of the transparency log. */
export const createLogIdentity = (settings: Settings, { secretsKey }: Keys): LogIdentity => ({
  origin: settings.historyOrigin,
  // Known once the server listens.
  get baseUrl() {
    return settings.baseUrl ?? '';
  },
  key: settings.historyKey ?? deriveHistoryKey(secretsKey),
  sealKey: deriveSealKey(secretsKey),
});
