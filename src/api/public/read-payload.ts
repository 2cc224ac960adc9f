import { inTurns, nextTurn } from '../../runtime/cooperative-work.js';
import type { AddressPolicy } from '../../outbound-http/address-policy.js';
import type { CheckedKey } from '../../payload/idempotency-key.js';
import { type JsonBody, parseJsonBody, parsingJsonBody } from '../../validation/json-body.js';
import { HEAVY_BYTES, type Problem, type PublishPayload } from '../../payload/payload.js';
import type { Refused } from '../../validation/problem-list.js';
import { validatePayload } from '../../payload/validate.js';

/** A request's payload, or everything that is wrong with the request. */
export type ReadPayload =
  | { readonly ok: true; readonly payload: PublishPayload }
  | {
      readonly ok: false;
      readonly status: number;
      readonly problems: readonly Problem[];
      /** What the body says, for whoever wants to say more about it; undefined where it is no JSON. */
      readonly sent: unknown;
    };

/** Parses a body: at once where it is light, in turns where it is heavy, so that nobody else waits for it. */
export const readJson = (body: Buffer): JsonBody | Promise<JsonBody> =>
  body.length > HEAVY_BYTES ? readInTurns(body) : parseJsonBody(body);

const readInTurns = async (body: Buffer): Promise<JsonBody> => {
  const json = await inTurns(parsingJsonBody(body));
  await nextTurn(); // the rules are a piece of work of their own
  return json;
};

/**
 * Judges what the body of a request to publish says. Everything that is wrong is told at once, and 422 wins over 400
 * (D-43).
 * @param key its Idempotency-Key
 */
export const checkPayload = (json: JsonBody, key: CheckedKey, addresses: AddressPolicy): ReadPayload => {
  const { checked, sent } = checkBody(json, (value) => validatePayload(value, addresses));
  if (checked.ok && key.ok) return { ok: true, payload: checked.payload };
  const problems = [...(key.ok ? [] : key.problems), ...(checked.ok ? [] : checked.problems)];
  return { ok: false, status: key.ok && !checked.ok ? checked.status : 422, problems, sent };
};

const NOTHING_MORE: Refused = { ok: false, status: 400, problems: [] };

/**
 * Judges what a body says by its rules. What is wrong with it as JSON and what breaks the rules is told together, as far
 * as the one leaves the other to be seen.
 * @param validate the rules
 * @returns `sent`: what the body says; undefined where it is no JSON that may be kept
 */
export const checkBody = <Checked extends { readonly ok: true }>(
  json: JsonBody,
  validate: (value: unknown) => Checked | Refused,
): { readonly checked: Checked | Refused; readonly sent: unknown } => {
  if (json.ok) return { checked: validate(json.value), sent: json.value };
  const further = json.unsafe ? validate(json.unsafe.value) : null;
  const { status, problems } = further && !further.ok ? further : NOTHING_MORE;
  const asJson = json.problems.filter(
    ({ path, code }) => !AS_STRINGS.has(code) || !problems.some((p) => p.path === path),
  );
  return { checked: { ok: false, status, problems: [...asJson, ...problems] }, sent: undefined };
};

/** What a string would mend, unless the field has rules of its own: a pause's minutes are none the better as one. */
const AS_STRINGS: ReadonlySet<string> = new Set(['number_too_large', 'number_inexact']);
