import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { completeKeys } from '../../config/generated-keys.js';
import type { Settings } from '../../config/settings.js';
import { parseLine } from '../../history/transfer/transfer-line.js';
import { KeyRing } from '../../secrets/key-ring.js';
import { openDatabase } from '../database.js';
import { CONTENT_KEY_MESSAGES } from '../messages.js';
import { Resources } from '../process-options.js';

/**
 * Gives a database the keys of content that it lacks, because it is new or older than the event store. Returns a
 * human-readable report.
 * @param file of `crosspost history export-keys`; null if there is none: content whose key is missing counts as erased
 * @throws Error with a human-readable message if the file is damaged, or its keys were sealed with another SECRETS_KEY
 */
export const restoreContentKeys = async (settings: Settings, log: Logger, file: string | null): Promise<string> => {
  const lines = file === null ? [] : (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const keys = lines.map(parseLine).filter((line) => line.kind === 'key');
  const resources = new Resources(log);
  try {
    const { secretsKey } = await completeKeys(settings);
    const ring = new KeyRing(secretsKey, settings.secretsKeysPrevious);
    const { contentKeys } = await openDatabase({ settings, log }, ring, resources);
    for (const key of keys) await contentKeys.storeSealed(key);
    if (file !== null) return CONTENT_KEY_MESSAGES.restored({ count: keys.length });
    await contentKeys.giveUpMissing();
    return CONTENT_KEY_MESSAGES.givenUp;
  } finally {
    await resources.closeAll();
  }
};
