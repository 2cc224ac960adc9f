import { ProblemList, type Refused } from '../validation/problem-list.js';
import { countCharacters } from '../validation/text-measure.js';
import { tooLongPredicate } from '../validation/wording.js';
import { LIMITS } from './payload.js';

/** A valid Idempotency-Key (undefined if none was sent), or its problems. */
export type CheckedKey = { readonly ok: true; readonly key: string | undefined } | Refused;

/**
 * Checks the `Idempotency-Key` header (D-43): at most 128 characters, otherwise 422. An empty key counts as absent;
 * otherwise every request with an empty key would be a replay of the first.
 */
export const validateIdempotencyKey = (header: string | undefined): CheckedKey => {
  const key = header?.trim() ?? '';
  const length = countCharacters(key);
  if (length <= LIMITS.keyLength) return { ok: true, key: key === '' ? undefined : key };
  const problems = new ProblemList();
  problems.add(422, 'Idempotency-Key', 'too_long', tooLongPredicate(length, LIMITS.keyLength, 'characters'));
  return problems.refused();
};
