import { applyDecorators, Header, SetMetadata, type Type } from '@nestjs/common';
import type { LimitsProfile } from '../../config/limits-profile.js';
import type { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import type { JsonSchema, SentClass } from '../../validation/json-schema.js';

/** Facts about a deployment that the documentation of its API depends on. */
export interface DocumentationContext {
  readonly brand: string;
  readonly platforms: PlatformCatalogue;
  readonly limitsProfile: LimitsProfile;
}

/** The announced end of a route (docs/compatibility.md). */
export interface Deprecation {
  /** The day on which its end was announced, UTC: `2026-11-24`. */
  readonly since: string;
  /** The last day on which the route is served, UTC. None: not decided yet. */
  readonly until?: string;
}

/** The documentation of a route that its code does not give: the rest comes from its rules and types. */
export interface RouteDocumentation {
  /** A few words: "Pause a channel". */
  readonly summary: string;
  readonly description?: string;
  /** The class that reads the body, or a function if the body depends on the deployment. None: the route takes no fields. */
  readonly body?: SentClass | ((context: DocumentationContext) => JsonSchema);
  /** A body of another media type than JSON. */
  readonly bodyType?: string;
  /** The class that reads the query. None: the route takes no query. */
  readonly query?: SentClass;
  /** Status of a success. Default: 200, of DELETE 204. */
  readonly status?: number;
  /** The class of the answer, where the method's return type does not name it, or the media type of an answer in text. */
  readonly answer?: Type<object> | string;
  /** Further successes with the same body: status and meaning. */
  readonly alsoAnswers?: Readonly<Record<number, string>>;
  /** Codes of errors that only some routes have, by status. */
  readonly codes?: Readonly<Record<number, readonly string[]>>;
  /** Message of the 403 for an owner's key, on a route for the operator alone: `ApiKeyGuard` enforces it. None: owners may call. */
  readonly operatorOnly?: string;
  /** True for a route whose answers never change anything, although it is a POST: it takes no Idempotency-Key. */
  readonly isQuestion?: true;
  /** True for a route of the management API whose requests pass the gate of `/v1`, and get its answers. */
  readonly passesGate?: true;
  /** The route's end, if it is announced: marks it in the document, and sends the headers that say so. */
  readonly deprecated?: Deprecation;
}

/** Key of a handler's documentation in its metadata. */
export const DOCUMENTATION = 'crosspost:documentation';

/**
 * Documents a route in /openapi.json. Every route of /v1 and /manage/v1 needs it. After a change of a route, its body or its
 * views run `npm run openapi` (CONTRIBUTING.md: Routes and their documentation). The answers of a deprecated route carry
 * `Deprecation` and, if its end is decided, `Sunset` (RFC 9745, RFC 8594).
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
