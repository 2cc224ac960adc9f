import type { FastifyRequest } from 'fastify';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import type { FindResource } from '../../projections/discovery/discovery.queries.js';
import { quoteShort, wrongTypePredicate } from '../../validation/wording.js';
import type { BodyReader } from '../transport/fields.js';
import { HttpProblem } from '../transport/http-problem.js';
import { getOwnerScope } from './caller.js';
import { notFoundProblem } from './http-problems.js';
import { BODY_MESSAGES } from './messages.js';

/**
 * Adds the owner to the body of a new resource: the caller, or the owner that the operator specifies (D-47).
 * @throws HttpProblem 404 if an owner specifies another owner
 */
export const withOwner =
  <T extends object>(request: FastifyRequest, read: BodyReader<T>): BodyReader<T & { readonly ownerId: string }> =>
  (sent, problems) => {
    const body = read(sent, problems);
    const named = sent.owner_id ?? undefined;
    const callerId = getOwnerScope(request);
    if (callerId !== null) {
      if (named !== undefined && named !== callerId) throw notFoundProblem('owner');
      return { ...body, ownerId: callerId };
    }
    if (named === undefined) problems.add(422, 'owner_id', 'missing', BODY_MESSAGES.ownerMissing);
    else if (typeof named !== 'string')
      problems.add(422, 'owner_id', 'wrong_type', wrongTypePredicate('a string', named));
    return { ...body, ownerId: named as string };
  };

/** Checks that a new resource's owner exists. @throws HttpProblem 422 if not */
export const requireOwner = async (findResource: FindResource, ownerId: string): Promise<void> => {
  if (await findResource.execute('owner', ownerId, null)) return;
  const message = RESOURCE_MESSAGES.unknownId({ id: quoteShort(ownerId) });
  throw new HttpProblem(422, 'invalid', [{ path: 'owner_id', code: 'unknown_id', message }]);
};
