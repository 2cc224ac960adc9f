import { readFileSync } from 'node:fs';
import { applyDecorators, Header, SetMetadata, type Type } from '@nestjs/common';
import type { LimitsProfile } from '../../config/limits-profile.js';
import type { Scope } from '../../kernel/events.js';
import type { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import type { BodyClass } from '../../validation/check-fields.js';
import type { JsonSchema } from '../../validation/json-schema.js';
import { DOCUMENTATION_MESSAGES as TEXTS, STATUS_TEXTS } from './messages.js';

/** Facts about a deployment that its API documentation depends on. */
export interface DocumentationContext {
  readonly brand: string;
  readonly platforms: PlatformCatalogue;
  readonly limitsProfile: LimitsProfile;
}

/** The announced removal of a route (docs/compatibility.md). */
export interface Deprecation {
  /** The day on which the removal was announced, UTC: `2026-11-24`. */
  readonly since: string;
  /** The last day on which the route is served, UTC; absent until it is decided. */
  readonly until?: string;
}

/** The part of a route's documentation that cannot be derived from its validation rules and types. */
export interface RouteDocumentation {
  /** For example "Pause a channel". */
  readonly summary: string;
  readonly description?: string;
  /** The body class, or a function that returns the body schema if it depends on the deployment. */
  readonly body?: BodyClass<object> | ((context: DocumentationContext) => JsonSchema);
  /** Media type of the body. Default: JSON. */
  readonly bodyType?: string;
  /** True if the body is a file: its bytes, or a form with one part. */
  readonly takesFile?: true;
  readonly query?: BodyClass<object>;
  /** Status of a successful response. Default: 200; for DELETE, 204. */
  readonly status?: number;
  /** The response class, if the method's return type does not name it; for a text response, its media type. */
  readonly answer?: Type<object> | string;
  /** Other successful responses with the same body: status and meaning. */
  readonly alsoAnswers?: Readonly<Record<number, string>>;
  /** Error codes of this route, by status, in addition to the codes that all similar routes return. */
  readonly codes?: Readonly<Record<number, readonly string[]>>;
  /** The scope that a key needs (D-93). Every management route has one; without it, `ApiKeyGuard` wants `manage`. */
  readonly scope?: Exclude<Scope, 'audit'>;
  /** True if limited keys may call the route, because it handles nothing beyond their endpoints (D-93). */
  readonly forLimitedKeys?: true;
  /** True for a POST that auditors may send (D-94); they may send every GET. */
  readonly forAuditors?: true;
  /** Message of the 403 that `ApiKeyGuard` sends for an owner's key. Absent if owners may call the route. */
  readonly operatorOnly?: string;
  /** True for a POST that changes nothing and therefore takes no Idempotency-Key. */
  readonly isQuestion?: true;
  /** True for a management route whose requests also go through the `/v1` gate, which may reject them. */
  readonly passesGate?: true;
  /** Marks the route as deprecated in the document and adds the headers that announce its removal. */
  readonly deprecated?: Deprecation;
}

/** Metadata key of a route's documentation. */
export const DOCUMENTATION = 'crosspost:documentation';

/**
 * Documents a route in /openapi.json. Every route of /v1 and /manage/v1 needs it (CONTRIBUTING.md: Routes and their
 * documentation). Responses from a deprecated route carry `Deprecation` and, if the last day is decided, `Sunset` (RFC
 * 9745, RFC 8594).
 */
export const Documented = (documentation: RouteDocumentation): MethodDecorator =>
  applyDecorators(
    SetMetadata(DOCUMENTATION, documentation),
    ...(documentation.deprecated ? deprecationHeaders(documentation.deprecated) : []),
  );

const deprecationHeaders = ({ since, until }: Deprecation): MethodDecorator[] => [
  Header('Deprecation', `@${Date.parse(since) / 1_000}`),
  ...(until === undefined ? [] : [Header('Sunset', new Date(`${until}T23:59:59Z`).toUTCString())]),
];

/** The response schemas of one route. */
export interface RouteAnswers {
  readonly success?: JsonSchema;
  /** Body of a 400 or 422, if it differs from the usual error body. */
  readonly problem?: JsonSchema;
}

/** Facts that `npm run openapi` extracts from the source. */
interface Answers {
  readonly routes: Readonly<Record<string, RouteAnswers>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Field docstrings, by class. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Reads the file that `npm run openapi` wrote. */
export const readAnswers = (): Answers =>
  JSON.parse(readFileSync(new URL('./answers.json', import.meta.url), 'utf8')) as Answers;

/** A request that was sent to a gateway, and the response. */
export interface Example {
  readonly request?: unknown;
  readonly answer?: unknown;
}

const recorded = JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Example>
>;

/** Examples by route (`POST /manage/v1/owners`), recorded by `npm run openapi:examples`. */
export class Examples {
  /** @param schemaOf returns the schema of a route's main response */
  constructor(private readonly schemaOf: (route: string) => JsonSchema | undefined) {}

  /** Returns the recorded request body as the `example` of a media type; empty if none was recorded. */
  ofRequest(route: string): JsonSchema {
    const { request } = recorded[route] ?? {};
    return request === undefined ? {} : { example: request };
  }

  /**
   * Returns a recorded response from this route, or else from a route with the same schema, as `example`; may be empty.
   */
  ofAnswer(route: string): JsonSchema {
    const answer = recorded[route]?.answer ?? this.answerOf(this.schemaOf(route)?.$ref);
    return answer === undefined ? {} : { example: answer };
  }

  private answerOf(reference: unknown): unknown {
    if (reference === undefined) return undefined;
    const same = Object.keys(recorded).find(
      (route) => this.schemaOf(route)?.$ref === reference && recorded[route]!.answer !== undefined,
    );
    return same && recorded[same]!.answer;
  }
}

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
const OF_MANAGEMENT: Codes = { 401: ['key_expired'], 422: ['invalid'], 429: ['too_many_wrong_keys'] };
const OF_SCOPE: Codes = { 403: ['missing_scope'] };
const OF_LIMIT: Codes = { 403: ['key_limited'] };
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
    if (documentation.scope) lists.push(documentation.forLimitedKeys ? {} : OF_LIMIT, OF_SCOPE);
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
