import type { Instant } from '../../kernel/clock.js';
import type { AddressPolicy } from '../../outbound-http/url-rules.js';
import type { Audience } from '../../payload/content-layers.js';
import type { PublishPayload } from '../../payload/payload.js';
import { type CheckedKey, validatePayload } from '../../payload/validate.js';
import { runInSlices, yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { HEAVY_BYTES, type JsonBody, parseJsonBody, parseJsonBodyInSlices } from '../../validation/json-body.js';
import type { Problem, Refused } from '../../validation/problem-list.js';

/** A valid payload, or all problems with it. */
export type PayloadCheck =
  | { readonly ok: true; readonly payload: PublishPayload }
  | {
      readonly ok: false;
      readonly status: number;
      readonly problems: readonly Problem[];
      /** The parsed body; undefined if it is not JSON. */
      readonly sent: unknown;
    };

/** Parses a body. A large body is parsed in slices, so that it does not delay other requests. */
export const readJson = (body: Buffer): JsonBody | Promise<JsonBody> =>
  body.length > HEAVY_BYTES ? readJsonInSlices(body) : parseJsonBody(body);

const readJsonInSlices = async (body: Buffer): Promise<JsonBody> => {
  const json = await runInSlices(parseJsonBodyInSlices(body));
  await yieldToEventLoop(); // validation gets a slice of its own
  return json;
};

/**
 * Checks the content of a publish request. Reports all problems at once; 422 takes precedence over 400 (D-43).
 * @param audience the networks and targets that may have overrides
 * @param now the time against which `publish_at` is checked
 */
export const checkPayload = (
  json: JsonBody,
  key: CheckedKey,
  addresses: AddressPolicy,
  audience: Audience,
  now: Instant,
): PayloadCheck => {
  const { checked, sent } = checkBody(json, (value) => validatePayload(value, addresses, audience, now));
  if (checked.ok && key.ok) return { ok: true, payload: checked.payload };
  const problems = [...(key.ok ? [] : key.problems), ...(checked.ok ? [] : checked.problems)];
  return { ok: false, status: key.ok && !checked.ok ? checked.status : 422, problems, sent };
};

const NO_FURTHER_PROBLEMS: Refused = { ok: false, status: 400, problems: [] };

/**
 * Checks a body against its rules. Reports JSON problems together with rule violations, as far as the JSON can still be
 * read.
 * @returns `sent`: the parsed body; undefined if it is not acceptable JSON
 */
export const checkBody = <Checked extends { readonly ok: true }>(
  json: JsonBody,
  validate: (value: unknown) => Checked | Refused,
): { readonly checked: Checked | Refused; readonly sent: unknown } => {
  if (json.ok) return { checked: validate(json.value), sent: json.value };
  const further = json.unsafe ? validate(json.unsafe.value) : null;
  const { status, problems } = further && !further.ok ? further : NO_FURTHER_PROBLEMS;
  const asJson = json.problems.filter(
    ({ path, code }) => !SOLVED_BY_STRING.has(code) || !problems.some((p) => p.path === path),
  );
  return { checked: { ok: false, status, problems: [...asJson, ...problems] }, sent: undefined };
};

/**
 * Problems that the client can fix by sending a string instead of the number, unless the field has its own rules, such
 * as minutes.
 */
const SOLVED_BY_STRING: ReadonlySet<string> = new Set(['number_too_large', 'number_inexact']);
