import { message } from '../kernel/message.js';

/** Problems with the keys that encrypt secrets, at startup and in jobs. */
export const SECRETS_MESSAGES = {
  /** The process exits with code 1 at startup. */
  wrongKey:
    'SECRETS_KEY is not the key of this database: its secrets are encrypted with another key. Set the key that encrypted them (with the embedded PostgreSQL it is in DATA_DIR/keys.json), or use another database. To replace the key, add the former one to SECRETS_KEY_PREVIOUS and run "crosspost secrets reseal".',
  /** The process exits with code 1 at startup. */
  formerKeyMissing: message(
    'Secrets of this database are still encrypted with a former key (id {ids}), which is neither SECRETS_KEY nor in SECRETS_KEY_PREVIOUS. Add it to SECRETS_KEY_PREVIOUS until "crosspost secrets reseal" has finished. If that key is lost, docs/deployment.md says what to do.',
  ),
  /** The process exits with code 1 at startup. */
  historyKeysUnreadable:
    'The keys of the history, which this database keeps encrypted, cannot be decrypted: the row "history_keys" of the table ops_setting was changed. Restore it from a backup.',
  keyReplaced:
    'the key of the secrets was replaced, and this process does not have the new key: set it as SECRETS_KEY and restart the process',
  noContentKeys: 'the database that holds the keys of content does not answer',
  contentKeysMissing: message(
    'Keys that open the content of events are missing from the database: {count}, for example {id}. Stop all processes and run "npm start -- content-keys import <file>" with the newest file of "crosspost history export-keys". If there is none, run "npm start -- content-keys lost": that content then counts as erased.',
  ),
  targetMissing: message('this process does not have the key {id}, which should seal the secrets'),
  processesWithoutKey: message(
    '{count} connected processes do not have the key {id}. Set it as SECRETS_KEY, and the former one as SECRETS_KEY_PREVIOUS, for every process, and restart the processes; then repeat the call. Their database sessions: {sessions}',
  ),
  /** Shown by `/readyz` and in the log. */
  unreadable: message(
    '{count} stored secrets, such as {ids}, cannot be opened with any key in SECRETS_KEY and SECRETS_KEY_PREVIOUS. Add the missing key to SECRETS_KEY_PREVIOUS, or enter the credentials again.',
  ),
};
