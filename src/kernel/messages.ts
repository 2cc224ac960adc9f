import { message } from './message.js';

/** Error messages about a resource, used throughout the program. */
export const RESOURCE_MESSAGES = {
  /** 404 `not_found` */
  notFound: message('This {what} does not exist or belongs to another owner. Check the id and the API key.'),
  /** 403 `missing_scope` */
  missingScope: message('This key may not do that: it lacks the scope "{scope}". Use a key that has it.'),
  /** 422 `unknown_id` */
  unknownId: message('{id} does not exist or belongs to another owner'),
};
