import type { QueryBus } from '@nestjs/cqrs';
import { HttpProblem } from '../transport/http-problem.js';
import { described, quoted } from '../../validation/wording.js';
import { FindThing } from '../../projections/discovery/discovery.queries.js';
import type { Caller } from './caller.js';
import type { Reader } from './request-body.js';
import { notFound } from './refusals.js';

/**
 * Reads a new thing together with whose it is to be: an owner's own, or the one that the operator names (D-47).
 * @throws HttpProblem 404 where an owner names another
 */
export const owned =
  <T extends object>(caller: Caller, read: Reader<T>): Reader<T & { readonly ownerId: string }> =>
  (sent, problems) => {
    const draft = read(sent, problems);
    const named = sent.owner_id ?? undefined;
    if (caller.kind === 'owner') {
      if (named !== undefined && named !== caller.ownerId) throw notFound('owner');
      return { ...draft, ownerId: caller.ownerId };
    }
    if (named === undefined)
      problems.add(422, 'owner_id', 'missing', 'is missing: the operator says whose it is to be');
    else if (typeof named !== 'string')
      problems.add(422, 'owner_id', 'wrong_type', `must be a string, not ${described(named)}`);
    return { ...draft, ownerId: named as string };
  };

/** @throws HttpProblem 422 where the operator named an owner that does not exist */
export const ownerMustExist = async (queries: QueryBus, ownerId: string): Promise<void> => {
  if (await queries.execute(new FindThing('owner', ownerId, null))) return;
  const message = `there is no owner ${quoted(ownerId)}`;
  throw new HttpProblem(422, 'invalid', [{ path: 'owner_id', code: 'unknown_id', message }]);
};
