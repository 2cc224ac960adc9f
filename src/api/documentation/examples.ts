import { readFileSync } from 'node:fs';
import type { JsonSchema } from '../../validation/json-schema.js';

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
