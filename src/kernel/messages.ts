import { message } from './message.js';

/** Answers about a resource, from every part of the program. */
export const RESOURCE_MESSAGES = {
  /** 404 `not_found` */
  notFound: message('This {what} does not exist or belongs to another owner. Check the id and the API key.'),
  /** 422 `unknown_id` */
  unknownId: message('{id} does not exist or belongs to another owner'),
};
