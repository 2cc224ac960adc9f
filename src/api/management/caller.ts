import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../kernel/events.js';
import { notFound } from './refusals.js';

/** Who makes a management call (management-api.md: Manners). */
export type Caller = { readonly kind: 'operator' } | { readonly kind: 'owner'; readonly ownerId: string };

const callers = new WeakMap<FastifyRequest, Caller>();

/** Remembers who a request was found to be from. */
export const identify = (request: FastifyRequest, caller: Caller): void => void callers.set(request, caller);

/** Who a request is from. @throws Error where the guard has not let it in */
export const callerOf = (request: FastifyRequest): Caller => {
  const caller = callers.get(request);
  if (!caller) throw new Error('a management route without its guard');
  return caller;
};

/** The caller as events name it. */
export const actorOf = (caller: Caller): Actor => (caller.kind === 'operator' ? 'operator' : `owner:${caller.ownerId}`);

/** Whose things the caller may see: an owner's id; null: everyone's. */
export const scopeOf = (caller: Caller): string | null => (caller.kind === 'operator' ? null : caller.ownerId);

/**
 * Whose things a list shows: those of the owner that is asked for, else all that the caller may see.
 * @param owner as `?owner_id=` names one @throws HttpProblem 404 where an owner names another
 */
export const listScopeOf = (caller: Caller, owner: string | undefined): string | null => {
  const scope = scopeOf(caller);
  if (scope !== null && owner !== undefined && owner !== scope) throw notFound('owner');
  return scope ?? owner ?? null;
};
