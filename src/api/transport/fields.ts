import type { FastifyRequest } from 'fastify';
import { type BodyClass, checkFields, fieldNamesOf, readFields, type Sent } from '../../validation/check-fields.js';
import { FIELD_MESSAGES } from '../../validation/messages.js';
import { ProblemList } from '../../validation/problem-list.js';
import { HttpProblem } from './problem.view.js';

/**
 * Converts a JSON object from a request to a typed body, and adds every error to `problems`. A body with problems is
 * discarded.
 */
export type BodyReader<T> = (sent: Sent, problems: ProblemList) => T;

/** Returns a reader for the fields of a class, which reports unknown fields. @param path the object's path */
export const fieldsReader =
  <T extends object>(Body: BodyClass<T>, path = ''): BodyReader<T> =>
  (sent, problems) => {
    const body = readFields(Body, sent);
    const known = fieldNamesOf(Body);
    for (const name of Object.keys(sent)) {
      if (known.includes(name)) continue;
      const predicate =
        known.length > 0 ? FIELD_MESSAGES.unknownField({ fields: known.join(', ') }) : FIELD_MESSAGES.noFields;
      problems.add(422, path === '' ? name : `${path}.${name}`, 'unknown_field', predicate);
    }
    checkFields(body, path, problems);
    return body;
  };

/** Reads and checks the query of a request's URL. @param code the problem's code @throws HttpProblem 422 */
export const readQuery = <T extends object>(request: FastifyRequest, Body: BodyClass<T>, code = 'invalid'): T => {
  const problems = new ProblemList();
  const query = fieldsReader(Body)(request.query as Sent, problems);
  if (!problems.isEmpty) throw new HttpProblem(422, code, problems.refused().problems);
  return query;
};
