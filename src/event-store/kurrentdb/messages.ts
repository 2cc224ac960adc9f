import { message } from '../../kernel/message.js';

/** KurrentDB or EventStoreDB refuses: at the start, in `/readyz` and in the log. */
export const KURRENTDB_MESSAGES = {
  accessDenied: message(
    '{what}: the event store refuses the user of EVENT_STORE_URL. Correct its name and password, or give it the rights that docs/deployment.md lists',
  ),
};
