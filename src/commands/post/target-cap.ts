import { reject, type Rejection } from '../../kernel/result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/** Maximum number of targets per post: the targets and a payload must fit into one append (D-42). */
export const MAX_TARGETS = 5_000;

/**
 * Returns a rejection if a post addresses too many channels, else null (D-67).
 * @param cap the plan's cap; null if only {@link MAX_TARGETS} applies
 */
export const rejectTooManyTargets = (addressed: number, cap: number | null): Rejection<'too_many_targets'> | null => {
  const allowed = Math.min(cap ?? MAX_TARGETS, MAX_TARGETS);
  if (addressed <= allowed) return null;
  const message = COMMAND_MESSAGES.tooManyTargets({ addressed, allowed });
  return reject('too_many_targets', message, { targets: addressed, targets_per_post: allowed });
};
