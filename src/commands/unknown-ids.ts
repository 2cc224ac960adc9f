import { reject, type Rejection } from '../kernel/result.js';

/** Ids that name nothing of this owner; `figures` maps each one's path, `channel_ids[1]`, to the id. */
export type UnknownIds = Rejection<'unknown_ids'>;

/** Refuses a list of ids. @param missing the ids that name nothing, by their place in the list */
export const unknownIds = (
  list: 'channel_ids' | 'project_ids',
  missing: readonly { readonly index: number; readonly id: string }[],
): UnknownIds =>
  reject(
    'unknown_ids',
    `There is no ${missing.map(({ id }) => id).join(', ')} among this owner's.`,
    Object.fromEntries(missing.map(({ index, id }) => [`${list}[${index}]`, id])),
  );
