import { applyDecorators, Header, SetMetadata, type Type } from '@nestjs/common';
import type { LimitsProfile } from '../../config/limits-profile.js';
import type { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import type { JsonSchema } from '../../validation/json-schema.js';
import { type BodyClass } from '../../validation/read-fields.js';

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
  readonly query?: BodyClass<object>;
  /** Status of a successful response. Default: 200; for DELETE, 204. */
  readonly status?: number;
  /** The response class, if the method's return type does not name it; for a text response, its media type. */
  readonly answer?: Type<object> | string;
  /** Other successful responses with the same body: status and meaning. */
  readonly alsoAnswers?: Readonly<Record<number, string>>;
  /** Error codes of this route, by status, in addition to the codes that all similar routes return. */
  readonly codes?: Readonly<Record<number, readonly string[]>>;
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
