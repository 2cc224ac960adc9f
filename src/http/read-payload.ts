import { atOnce, inTurns, type Steps } from '../kernel/turns.js';
import type { AddressPolicy } from '../payload/address-policy.js';
import { validateIdempotencyKey } from '../payload/idempotency-key.js';
import { parsingJsonBody } from '../payload/json-body.js';
import { HEAVY_BYTES, type Problem, type PublishPayload } from '../payload/payload.js';
import type { Refused } from '../payload/problem-list.js';
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
  const { checked, sent } = yield* readingBody(body, (value) => validatePayload(value, addresses));
  if (checked.ok && key.ok) return { ok: true, payload: checked.payload, key: key.key };
  const problems = [...(key.ok ? [] : key.problems), ...(checked.ok ? [] : checked.problems)];
  return { ok: false, status: key.ok && !checked.ok ? checked.status : 422, problems, sent };
}

const NOTHING_MORE: Refused = { ok: false, status: 400, problems: [] };

/**
 * Reads a body by its rules. What is wrong with it as JSON and what breaks the rules is told together, as far as the one
 * leaves the other to be seen.
 * @param validate the rules
 * @returns `sent`: what the body says; undefined where it is no JSON that may be kept
 */
export function* readingBody<Checked extends { readonly ok: true }>(
  body: Buffer,
  validate: (value: unknown) => Checked | Refused,
): Steps<{ readonly checked: Checked | Refused; readonly sent: unknown }> {
  const json = yield* parsingJsonBody(body);
  if (body.length > HEAVY_BYTES) yield;
  if (json.ok) return { checked: validate(json.value), sent: json.value };
  const further = json.unsafe ? validate(json.unsafe.value) : null;
  const { status, problems } = further && !further.ok ? further : NOTHING_MORE;
  const asJson = json.problems.filter(
    ({ path, code }) => !AS_STRINGS.has(code) || !problems.some((p) => p.path === path),
  );
  return { checked: { ok: false, status, problems: [...asJson, ...problems] }, sent: undefined };
}

/** What a string would mend, unless the field has rules of its own: a pause's minutes are none the better as one. */
const AS_STRINGS: ReadonlySet<string> = new Set(['number_too_large', 'number_inexact']);
