import { isDamaged } from '../../event-store/codec.js';
import { reject, type Rejection } from '../../kernel/result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/** Executes a command on a publication, and rejects it with `wrong_state` if the publication's events are damaged. */
export const rejectUnreadable = async <T>(execute: () => Promise<T>): Promise<T | Rejection<'wrong_state'>> => {
  try {
    return await execute();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return reject('wrong_state', COMMAND_MESSAGES.historyDamaged);
  }
};
