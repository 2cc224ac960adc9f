import { atOnce, inTurns, type Steps } from '../kernel/turns.js';
import type { AddressPolicy } from '../payload/address-policy.js';
import { validateIdempotencyKey } from '../payload/idempotency-key.js';
import { parsingJsonBody } from '../payload/json-body.js';
import { HEAVY_BYTES, type Problem, type PublishPayload } from '../payload/payload.js';
import { validatePayload } from '../payload/validate.js';

/** A request's payload, or everything that is wrong with the request. */
export type ReadPayload =
  | { readonly ok: true; readonly payload: PublishPayload; readonly key: string | undefined }
  | {
      readonly ok: false;
      readonly status: number;
      readonly problems: readonly Problem[];
      /** What the body says, for whoever wants to say more about it; undefined where it is no JSON. */
      readonly sent: unknown;
    };

/** Reads in one go what is light, and in turns what is heavy, so that nobody else waits for it. */
export const read = <T>(body: Buffer, reading: Steps<T>): T | Promise<T> =>
  body.length > HEAVY_BYTES ? inTurns(reading) : atOnce(reading);

/**
 * Reads the body and the Idempotency-Key of a request to publish. Everything that is wrong is told at once, and 422 wins
 * over 400 (D-43).
 */
export function* readingPayload(
  body: Buffer,
  keyHeader: string | undefined,
  addresses: AddressPolicy,
): Steps<ReadPayload> {
  const key = validateIdempotencyKey(keyHeader);
  const json = yield* parsingJsonBody(body);
  yield;
  if (!json.ok) return { ok: false, status: 400, problems: json.problems, sent: undefined };
  const checked = validatePayload(json.value, addresses);
  if (checked.ok && key.ok) return { ok: true, payload: checked.payload, key: key.key };
  return {
    ok: false,
    status: key.ok && !checked.ok ? checked.status : 422,
    problems: [...(key.ok ? [] : key.problems), ...checked.problems],
    sent: json.value,
  };
}
