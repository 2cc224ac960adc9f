import { message } from '../../kernel/message.js';

/** Refusals by KurrentDB or EventStoreDB, shown at startup, in `/readyz` and in the log. */
export const KURRENTDB_MESSAGES = {
  accessDenied: message(
    '{what}: the event store refuses the user of EVENT_STORE_URL. Correct its name and password, or give it the rights that docs/deployment.md lists',
  ),
  unknownCall: message(
    '{what}: the server does not know this call ({reason}). Appends need EventStoreDB 21.10 or later. If the server is not older, something in front of it, such as a proxy, does not pass the call on: correct its routes',
  ),
  wrongPosition: message(
    'the event store has no event at position {position}, from which this part of the gateway continues: its checkpoint belongs to another store, or to one that was restored. docs/recovery.md says what to do',
  ),
};
