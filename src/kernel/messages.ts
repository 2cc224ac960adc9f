import { message } from './message.js';

/** Error messages about a resource, used throughout the program. */
export const RESOURCE_MESSAGES = {
  /** 404 `not_found` */
  notFound: message('This {what} does not exist or belongs to another owner. Check the id and the API key.'),
  /** 422 `unknown_id` */
  unknownId: message('{id} does not exist or belongs to another owner'),
};
