import type { FastifyRequest } from 'fastify';
import { type Actor, ownerActor } from '../../kernel/events.js';
import { notFoundProblem } from './http-problems.js';

/** The authenticated caller of a management request (management-api.md: Manners). */
export type Caller = { readonly kind: 'operator' } | { readonly kind: 'owner'; readonly ownerId: string };

const callers = new WeakMap<FastifyRequest, Caller>();

/** Stores a request's authenticated caller. */
export const rememberCaller = (request: FastifyRequest, caller: Caller): void => void callers.set(request, caller);

/** Returns a request's caller. @throws Error if the guard has not authenticated it */
export const getCaller = (request: FastifyRequest): Caller => {
  const caller = callers.get(request);
  if (!caller) throw new Error('this management route has no ApiKeyGuard');
  return caller;
};

/** Returns the caller in the form that events use. */
export const getActor = (request: FastifyRequest): Actor => {
  const caller = getCaller(request);
  return caller.kind === 'operator' ? 'operator' : ownerActor(caller.ownerId);
};

/** Returns the owner whose resources the caller may see; null for the operator, who sees all. */
export const getOwnerScope = (request: FastifyRequest): string | null => {
  const caller = getCaller(request);
  return caller.kind === 'operator' ? null : caller.ownerId;
};

/** Returns the holder that the caller's memory and time use counts against: the owner's id, or `operator`. */
export const getHolder = (request: FastifyRequest): string => getOwnerScope(request) ?? 'operator';

/**
 * Returns the owner whose resources a list shows: the requested owner, or else the caller; null for all owners.
 * @param owner the query's `owner_id`
 * @throws HttpProblem 404 if an owner requests another owner's resources
 */
export const getListScope = (request: FastifyRequest, owner: string | undefined): string | null => {
  const scope = getOwnerScope(request);
  if (scope !== null && owner !== undefined && owner !== scope) throw notFoundProblem('owner');
  return scope ?? owner ?? null;
};
