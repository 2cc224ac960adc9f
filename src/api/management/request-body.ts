import type { FastifyRequest } from 'fastify';
import { HttpProblem } from '../transport/http-problem.js';
import { readBody } from '../transport/raw-body.js';
import { inTurns } from '../../runtime/cooperative-work.js';
import { checkFields, checkObject, type Sent } from '../../validation/check-fields.js';
import { parsingJsonBody } from '../../validation/json-body.js';
import { ProblemList } from '../../validation/problem-list.js';

/**
 * Reads a JSON object that was sent into a draft, and adds what is wrong to `problems`; where anything is, nobody gets
 * to see the draft.
 */
export type Reader<T> = (sent: Sent, problems: ProblemList) => T;

/** A class whose properties are the fields that may be sent, with their rules; built by hand from parsed JSON. */
export type DraftClass<T extends object> = new (sent: Sent) => T;

/** Far above anything that is managed, far below what an event can hold (1 MiB). */
const BODY_BYTES = 524_288;

/** `application/json`; a charset, where one is given, is utf-8; other parameters are ignored (D-43). */
const JSON_IN_UTF8 = /^\s*application\/json\s*(;(?!.*charset\s*=\s*(?!"?utf-?8"?\s*(;|$))).*)?$/i;

/** Reads what a class declares; a field that it does not have is a typing error, and told. @param path of the object */
export const fieldsOf =
  <T extends object>(Draft: DraftClass<T>, path = ''): Reader<T> =>
  (sent, problems) => {
    const draft = new Draft(sent);
    const known = Object.keys(draft);
    for (const name of Object.keys(sent)) {
      if (known.includes(name)) continue;
      const fields = known.length > 0 ? `the fields here are ${known.join(', ')}` : 'nothing is taken here';
      problems.add(422, path === '' ? name : `${path}.${name}`, 'unknown_field', `is no field: ${fields}`);
    }
    checkFields(draft, path, problems);
    return draft;
  };

/** Reads an object inside of another one; undefined where there is none, or something else. */
export const readPart = <T extends object>(
  value: unknown,
  path: string,
  Draft: DraftClass<T>,
  problems: ProblemList,
): T | undefined => {
  if (value === undefined || value === null || !checkObject(value, path, problems)) return undefined;
  return fieldsOf(Draft, path)(value, problems);
};

/** Reads a request's body. No body at all counts as an object without fields. @throws HttpProblem 400, 415, 422 */
export const readDraft = async <T>(
  request: FastifyRequest,
  read: Reader<T>,
): Promise<{ readonly draft: T; readonly bytes: Buffer }> => {
  const bytes = await readBody(request);
  const problems = new ProblemList();
  const sent = bytes.length === 0 ? {} : await parse(request, bytes);
  if (!checkObject(sent, '', problems)) throw invalid(problems);
  const draft = read(sent, problems);
  if (!problems.isEmpty) throw invalid(problems);
  return { draft, bytes };
};

/** Reads the query of a request's URL like a body. @throws HttpProblem 422 */
export const readQuery = <T extends object>(request: FastifyRequest, Draft: DraftClass<T>): T => {
  const problems = new ProblemList();
  const draft = fieldsOf(Draft)(request.query as Sent, problems);
  if (!problems.isEmpty) throw invalid(problems);
  return draft;
};

/** The answer to what breaks the schema: everything that is wrong, at once (D-6). */
export const invalid = (problems: ProblemList): HttpProblem =>
  new HttpProblem(422, 'invalid', problems.refused().problems);

const parse = async (request: FastifyRequest, bytes: Buffer): Promise<unknown> => {
  if (!JSON_IN_UTF8.test(request.headers['content-type'] ?? ''))
    throw HttpProblem.of(415, 'unsupported_media_type', 'Send JSON in UTF-8, with Content-Type: application/json.');
  if (bytes.length > BODY_BYTES)
    throw HttpProblem.of(400, 'body_too_large', `The body is larger than ${BODY_BYTES} bytes: send less.`);
  const json = await inTurns(parsingJsonBody(bytes));
  if (!json.ok) throw new HttpProblem(400, 'malformed', json.problems);
  return json.value;
};
