import { readFileSync } from 'node:fs';
import type { JsonSchema } from '../../validation/json-schema.js';

/** A request that was sent to a gateway, and its answer. */
export interface Example {
  readonly request?: unknown;
  readonly answer?: unknown;
}

const recorded = JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Example>
>;

/** Examples of routes, as `npm run openapi:examples` recorded them. */
export class Examples {
  /** @param schemaOf returns the schema of a route's main answer */
  constructor(private readonly schemaOf: (route: string) => JsonSchema | undefined) {}

  /**
   * Returns the body of a request, as the `example` of a media type; empty if the route takes none. @param route `POST
   * /manage/v1/owners`
   */
  ofRequest(route: string): JsonSchema {
    const { request } = recorded[route] ?? {};
    return request === undefined ? {} : { example: request };
  }

  /** Returns an answer, as the `example` of a media type: the route's own, or that of a route with the same schema. */
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
