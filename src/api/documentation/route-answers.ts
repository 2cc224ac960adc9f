import type { JsonSchema } from '../../validation/json-schema.js';
import type { RouteAnswers } from './answers.js';
import type { RouteDocumentation } from './documented.js';
import { DOCUMENTATION_MESSAGES as TEXTS, STATUS_TEXTS } from './messages.js';

interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  /** True if a request may specify an owner; it gets a 404 for an owner that the key may not see. */
  readonly takesOwner: boolean;
  readonly documentation: RouteDocumentation;
  readonly known: RouteAnswers;
  /** `example` of the main response; may be empty. */
  readonly example: JsonSchema;
}

type Codes = Readonly<Record<number, readonly string[]>>;

// Error codes by status, for different types of requests.
const ANY: Codes = {
  400: ['bad_request', 'bad_address'],
  401: ['unauthorized'],
  408: ['request_timeout'],
  431: ['headers_too_large'],
  500: ['internal'],
  503: ['unavailable', 'storage_unavailable'],
};
const WITH_BODY: Codes = {
  400: ['body_too_large', 'body_incomplete'],
  415: ['unsupported_media_type'],
  503: ['too_many_large_requests'],
};
const OF_GATE: Codes = {
  403: ['endpoint_disabled'],
  429: ['rate_limited'],
  503: ['maintenance', 'endpoint_paused', 'plan_not_allowed', 'too_many_unauthenticated'],
};
const PAYLOAD: Codes = { 400: ['invalid_payload'], 422: ['invalid_payload'] };
const OF_MANAGEMENT: Codes = { 422: ['invalid'], 429: ['too_many_wrong_keys'] };
const OF_OWNERS_CHANGE: Codes = { 429: ['too_many_changes'] };
const OF_READING: Codes = { 503: ['too_many_large_answers'] };
const OF_CHANGE: Codes = { 400: ['malformed'], 503: ['views_behind'] };

const listCodes = ({ method, path, isPublic, takesOwner, documentation }: DescribedRoute): Map<number, string[]> => {
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const isChange = method !== 'GET';
  const lists: Codes[] = [ANY, ...(hasBody ? [WITH_BODY] : []), ...(method === 'GET' ? [OF_READING] : [])];
  if (isPublic || documentation.passesGate) lists.push(OF_GATE, ...(hasBody ? [PAYLOAD] : []));
  if (!isPublic) {
    lists.push(OF_MANAGEMENT);
    if (isChange && !documentation.passesGate) lists.push(OF_CHANGE);
    if (isChange && !documentation.isQuestion && !documentation.operatorOnly) lists.push(OF_OWNERS_CHANGE);
    if (method === 'POST' && !documentation.passesGate) lists.push({ 409: ['idempotency_conflict'] });
    if (takesOwner || path.includes(':')) lists.push({ 404: ['not_found'] });
    if (documentation.operatorOnly) lists.push({ 403: ['forbidden'] });
  }
  lists.push(documentation.codes ?? {});
  const all = new Map<number, string[]>();
  for (const [status, codes] of lists.flatMap((list) => Object.entries(list)))
    all.set(Number(status), [...new Set([...(all.get(Number(status)) ?? []), ...codes])].sort());
  return new Map([...all].sort(([a], [b]) => a - b));
};

const header = (description: string, schema: JsonSchema = { type: 'string' }): JsonSchema => ({ description, schema });

const REQUEST_ID = { 'X-Request-Id': header(TEXTS.requestId) };
const RETRY_AFTER = { 'Retry-After': header(TEXTS.retryAfter, { type: 'integer', minimum: 0 }) };

/** Describes all responses of a route, by status. */
export const describeAnswers = (route: DescribedRoute): JsonSchema => {
  const { method, isPublic, documentation, known, example } = route;
  const status = documentation.status ?? (method === 'DELETE' ? 204 : 200);
  const isChange = !isPublic && !documentation.passesGate && method !== 'GET' && !documentation.isQuestion;
  const headers = {
    ...REQUEST_ID,
    ...(isChange && { 'X-Position': header(TEXTS.position) }),
    ...(isChange && method === 'POST' && { 'Idempotency-Replayed': header(TEXTS.replayed) }),
  };
  const mediaType = typeof documentation.answer === 'string' ? documentation.answer : 'application/json';
  const schema = mediaType === 'application/json' ? (known.success ?? {}) : { type: 'string' };
  const content = status === 204 ? {} : { content: { [mediaType]: { schema, ...example } } };
  const withMismatch = { ...headers, 'Idempotency-Payload-Mismatch': header(TEXTS.mismatch) };
  const also = Object.entries(documentation.alsoAnswers ?? {}).map(([other, description]) => [
    other,
    { description, headers: withMismatch, ...content },
  ]);
  const errors = [...listCodes(route)].map(([code, codes]) => [String(code), describeError(code, codes, route)]);
  return {
    [status]: { description: status === 204 ? TEXTS.done : documentation.summary, headers, ...content },
    ...(Object.fromEntries([...also, ...errors]) as JsonSchema),
  };
};

const describeError = (status: number, codes: readonly string[], { isPublic, known }: DescribedRoute): JsonSchema => ({
  description: `${STATUS_TEXTS[status] ?? TEXTS.error} ${codes.map((code) => `\`${code}\``).join(', ')}`,
  'x-codes': codes,
  headers: {
    ...REQUEST_ID,
    ...((status === 429 || status === 503) && RETRY_AFTER),
    ...(status === 401 && !isPublic && { 'WWW-Authenticate': header(TEXTS.bearer) }),
  },
  content: {
    'application/json': {
      schema:
        known.problem && (status === 400 || status === 422)
          ? { anyOf: [known.problem, { $ref: '#/components/schemas/ErrorBody' }] }
          : { $ref: '#/components/schemas/ErrorBody' },
    },
  },
});
