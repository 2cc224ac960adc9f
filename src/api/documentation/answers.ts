import { readFileSync } from 'node:fs';
import type { JsonSchema } from '../../validation/json-schema.js';

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
