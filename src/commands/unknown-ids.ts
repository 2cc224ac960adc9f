import { reject, type Rejection } from '../kernel/result.js';
import { COMMAND_MESSAGES } from './messages.js';

/**
 * Rejects a list with ids that the owner does not have. `figures` maps each path (`channel_ids[1]`) to its id.
 * @param missing the unknown ids, with their index in the list
 */
export const rejectUnknownIds = (
  list: 'channel_ids' | 'project_ids',
  missing: readonly { readonly index: number; readonly id: string }[],
): Rejection<'unknown_ids'> =>
  reject(
    'unknown_ids',
    COMMAND_MESSAGES.unknownIds({ ids: missing.map(({ id }) => id).join(', ') }),
    Object.fromEntries(missing.map(({ index, id }) => [`${list}[${index}]`, id])),
  );
