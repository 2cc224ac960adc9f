import type { ProblemList } from '../../validation/problem-list.js';
import { describeValue, tooManyPredicate, wrongTypePredicate } from '../../validation/wording.js';
import { BODY_MESSAGES } from './messages.js';

/** Maximum number of ids in a list; more than an owner would manage by hand. */
const MAX_IDS = 200;

/**
 * Checks that a list holds distinct public ids; the command checks that they exist.
 * @param value already reported if it is not an array
 */
export const checkIds = (value: unknown, path: string, prefix: 'tgt' | 'prj', problems: ProblemList): void => {
  if (!Array.isArray(value)) return;
  if (value.length > MAX_IDS) problems.add(422, path, 'too_many', tooManyPredicate(value.length, MAX_IDS));
  const seen = new Set<unknown>();
  for (const [index, id] of (value as unknown[]).slice(0, MAX_IDS).entries()) {
    const place = `${path}[${index}]`;
    if (typeof id !== 'string' || !id.startsWith(`${prefix}_`))
      problems.add(422, place, 'wrong_type', wrongTypePredicate(BODY_MESSAGES.idForm({ prefix }), id));
    else if (seen.has(id)) problems.add(422, place, 'duplicate', BODY_MESSAGES.duplicateId({ id: describeValue(id) }));
    seen.add(id);
  }
};
