import { reject, type Rejection } from '../../kernel/result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/** A resource cannot be deleted, because others refer to it; `figures` hold their ids. */
export type InUse = Rejection<'in_use'>;

/** Rejects the deletion of a resource that others refer to; null if none does. */
export const rejectInUse = (
  kind: 'channel' | 'project',
  list: 'project_ids' | 'endpoint_ids',
  naming: readonly string[],
): InUse | null => {
  if (naming.length === 0) return null;
  const others = `${list === 'project_ids' ? 'project' : 'endpoint'}${naming.length === 1 ? '' : 's'}`;
  const message = COMMAND_MESSAGES.inUse({ what: kind, others: `${others} ${naming.join(', ')}` });
  return reject('in_use', message, { [list]: naming });
};
