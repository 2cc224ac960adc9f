import type { FastifyRequest } from 'fastify';
import { runInSlices } from '../../runtime/cooperative-work.js';
import { type BodyClass, checkObject, ReadAs } from '../../validation/check-fields.js';
import { parseJsonBodyInSlices } from '../../validation/json-body.js';
import { ProblemList } from '../../validation/problem-list.js';
import { type BodyReader, fieldsReader } from '../transport/fields.js';
import { HttpProblem } from '../transport/problem.view.js';
import { readBody } from '../transport/raw-body.js';
import { getHolder } from './api-key.guard.js';
import { CALL_MESSAGES } from './messages.js';

/** Maximum body size, in bytes: far more than any resource needs, far below the event size limit (1 MiB). */
const MAX_BODY_BYTES = 524_288;

/** `application/json`; a charset, if given, must be utf-8; other parameters are ignored (D-43). */
const JSON_IN_UTF8 = /^\s*application\/json\s*(;(?!.*charset\s*=\s*(?!"?utf-?8"?\s*(;|$))).*)?$/i;

/** Reads a nested object. Returns undefined if it is missing or not an object. */
export const readPart = <T extends object>(
  value: unknown,
  path: string,
  Body: BodyClass<T>,
  problems: ProblemList,
): T | undefined => {
  if (value === undefined || value === null || !checkObject(value, path, problems)) return undefined;
  return fieldsReader(Body, path)(value, problems);
};

/** Reads a body; an empty body counts as an object without fields. @throws HttpProblem 400, 415, 422 */
export const readRequestBody = <T>(
  request: FastifyRequest,
  read: BodyReader<T>,
): Promise<{ readonly body: T; readonly bytes: Buffer }> => readJsonBody(request, getHolder(request), read);

/**
 * Reads a body like {@link readRequestBody}.
 * @param holder whose share of the memory a large body counts against
 */
export const readJsonBody = async <T>(
  request: FastifyRequest,
  holder: string,
  read: BodyReader<T>,
): Promise<{ readonly body: T; readonly bytes: Buffer }> => {
  const bytes = await readBody(request, holder);
  const problems = new ProblemList();
  const sent = bytes.length === 0 ? {} : await parseJson(request, bytes);
  if (!checkObject(sent, '', problems)) throw invalidProblem(problems);
  const body = read(sent, problems);
  if (!problems.isEmpty) throw invalidProblem(problems);
  return { body, bytes };
};

/** Returns the problem for a body that violates the schema, with all its errors at once (D-6). */
const invalidProblem = (problems: ProblemList): HttpProblem =>
  new HttpProblem(422, 'invalid', problems.refused().problems);

/** @throws HttpProblem 415 if a request does not declare its body as JSON in UTF-8 */
export const requireJson = ({ headers }: FastifyRequest): void => {
  if (!JSON_IN_UTF8.test(headers['content-type'] ?? ''))
    throw HttpProblem.withMessage(415, 'unsupported_media_type', CALL_MESSAGES.mediaType);
};

const parseJson = async (request: FastifyRequest, bytes: Buffer): Promise<unknown> => {
  requireJson(request);
  if (bytes.length > MAX_BODY_BYTES)
    throw HttpProblem.withMessage(400, 'body_too_large', CALL_MESSAGES.bodyTooLarge({ limit: MAX_BODY_BYTES }));
  const json = await runInSlices(parseJsonBodyInSlices(bytes));
  if (!json.ok) throw new HttpProblem(400, 'malformed', json.problems);
  return json.value;
};

/** A body field that is only known at run time. */
export interface BodyField {
  /** Converts the received value before it is validated. */
  readonly read: (sent: unknown) => unknown;
  /** Applied in this order. (Among decorators, the one nearest to the field is applied first.) */
  readonly rules: readonly PropertyDecorator[];
}

/**
 * Creates a body class whose fields are only known at run time; it behaves like a class with decorated fields. Create
 * each class once: class-validator keeps the rules of every class for the life of the process.
 */
export const createBodyClass = <Field>(
  fields: Readonly<Record<string, Field>>,
  toBodyField: (field: Field) => BodyField,
): BodyClass<Readonly<Record<string, unknown>>> => {
  class Body {
    readonly [name: string]: unknown;

    constructor() {
      for (const name of Object.keys(fields)) Object.assign(this, { [name]: undefined });
    }
  }
  for (const [name, field] of Object.entries(fields)) {
    const { read, rules } = toBodyField(field);
    for (const apply of [ReadAs(read), ...rules]) apply(Body.prototype, name);
  }
  return Body;
};
