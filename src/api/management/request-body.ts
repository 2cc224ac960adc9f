import type { FastifyRequest } from 'fastify';
import { HttpProblem } from '../transport/http-problem.js';
import { readBody } from '../transport/raw-body.js';
import { runInSlices } from '../../runtime/cooperative-work.js';
import { checkFields, checkObject, type Sent } from '../../validation/check-fields.js';
import { parseJsonBodyInSlices } from '../../validation/json-body.js';
import { ProblemList } from '../../validation/problem-list.js';
import { getCaller, getOwnerScope } from './caller.js';
import { BODY_MESSAGES, CALL_MESSAGES } from './messages.js';

/**
 * Reads the JSON object that was sent into a typed body, and adds what is wrong to `problems`. A body with problems is
 * discarded.
 */
export type BodyReader<T> = (sent: Sent, problems: ProblemList) => T;

/** A class whose properties are the allowed fields, with their rules. Its constructor reads parsed JSON. */
export type BodyClass<T extends object> = new (sent: Sent) => T;

/** Largest body: far above any resource, far below the size of an event (1 MiB). */
const MAX_BODY_BYTES = 524_288;

/** `application/json`; a charset, if given, must be utf-8; other parameters are ignored (D-43). */
const JSON_IN_UTF8 = /^\s*application\/json\s*(;(?!.*charset\s*=\s*(?!"?utf-?8"?\s*(;|$))).*)?$/i;

/** Returns a reader of a class's fields. A field that the class does not have is reported. @param path of the object */
export const fieldsReader =
  <T extends object>(Body: BodyClass<T>, path = ''): BodyReader<T> =>
  (sent, problems) => {
    const body = new Body(sent);
    const known = Object.keys(body);
    for (const name of Object.keys(sent)) {
      if (known.includes(name)) continue;
      const predicate =
        known.length > 0 ? BODY_MESSAGES.unknownField({ fields: known.join(', ') }) : BODY_MESSAGES.noFields;
      problems.add(422, path === '' ? name : `${path}.${name}`, 'unknown_field', predicate);
    }
    checkFields(body, path, problems);
    return body;
  };

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

/** Reads the body of an authenticated request. An empty body counts as an object without fields. @throws HttpProblem 400, 415, 422 */
export const readRequestBody = <T>(
  request: FastifyRequest,
  read: BodyReader<T>,
): Promise<{ readonly body: T; readonly bytes: Buffer }> =>
  readJsonBody(request, getOwnerScope(getCaller(request)) ?? 'operator', read);

/** Reads a request's body as {@link readRequestBody} does. @param holder who gets a share of the memory for large bodies */
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

/** Reads and checks the query of a request's URL. @throws HttpProblem 422 */
export const readQuery = <T extends object>(request: FastifyRequest, Body: BodyClass<T>): T => {
  const problems = new ProblemList();
  const query = fieldsReader(Body)(request.query as Sent, problems);
  if (!problems.isEmpty) throw invalidProblem(problems);
  return query;
};

/** Returns the problem for a body that breaks the schema, with all its errors at once (D-6). */
export const invalidProblem = (problems: ProblemList): HttpProblem =>
  new HttpProblem(422, 'invalid', problems.refused().problems);

const parseJson = async (request: FastifyRequest, bytes: Buffer): Promise<unknown> => {
  if (!JSON_IN_UTF8.test(request.headers['content-type'] ?? ''))
    throw HttpProblem.withMessage(415, 'unsupported_media_type', CALL_MESSAGES.mediaType);
  if (bytes.length > MAX_BODY_BYTES)
    throw HttpProblem.withMessage(400, 'body_too_large', CALL_MESSAGES.bodyTooLarge({ limit: MAX_BODY_BYTES }));
  const json = await runInSlices(parseJsonBodyInSlices(bytes));
  if (!json.ok) throw new HttpProblem(400, 'malformed', json.problems);
  return json.value;
};
