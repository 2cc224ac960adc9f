import { LIMITS } from './payload.js';
import { ProblemList, type Refused } from '../validation/problem-list.js';
import { charactersIn } from '../validation/text-measure.js';
import { tooLong } from '../validation/wording.js';

/** An Idempotency-Key that may be one, undefined where none was sent; or what is wrong with it. */
export type CheckedKey = { readonly ok: true; readonly key: string | undefined } | Refused;

/**
 * Checks the `Idempotency-Key` header (D-43): at most 128 characters, 422 beyond. Absent and empty are the same: an
 * empty key would make every request that has one a replay of the first.
 */
export const validateIdempotencyKey = (header: string | undefined): CheckedKey => {
  const key = header?.trim() ?? '';
  const length = charactersIn(key);
  if (length <= LIMITS.keyLength) return { ok: true, key: key === '' ? undefined : key };
  const problems = new ProblemList();
  problems.add(422, 'Idempotency-Key', 'too_long', tooLong(length, LIMITS.keyLength, 'characters'));
  return problems.refused();
};
