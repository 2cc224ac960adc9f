import { readFileSync } from 'node:fs';
import type { JsonSchema } from '../../validation/json-schema.js';

/** Answers of one route. */
export interface RouteAnswers {
  readonly success?: JsonSchema;
  /** Body of a 400 or 422, where it differs from the usual one. */
  readonly problem?: JsonSchema;
}

/** Facts that `npm run openapi` takes from the source: answers by route, their schemas, and docstrings of fields by class. */
interface Answers {
  readonly routes: Readonly<Record<string, RouteAnswers>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly fields: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Reads the facts that `npm run openapi` wrote. */
export const readAnswers = (): Answers =>
  JSON.parse(readFileSync(new URL('./answers.json', import.meta.url), 'utf8')) as Answers;
