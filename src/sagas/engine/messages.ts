import { message } from '../../kernel/message.js';

/** Errors of sagas that follow the log, as operators see them. */
export const SAGA_MESSAGES = {
  tooSlow: message('the reaction reached its time limit of {seconds} s'),
};
