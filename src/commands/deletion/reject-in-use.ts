import { reject, type Rejection } from '../../kernel/result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/** Returns a rejection if other resources refer to the resource to delete, else null. `figures` holds their ids. */
export const rejectInUse = (
  kind: 'channel' | 'project',
  list: 'project_ids' | 'endpoint_ids',
  naming: readonly string[],
): Rejection<'in_use'> | null => {
  if (naming.length === 0) return null;
  const others = `${list === 'project_ids' ? 'project' : 'endpoint'}${naming.length === 1 ? '' : 's'}`;
  const message = COMMAND_MESSAGES.inUse({ what: kind, others: `${others} ${naming.join(', ')}` });
  return reject('in_use', message, { [list]: naming });
};
