import type { FastifyRequest } from 'fastify';
import type { Actor } from '../kernel/events.js';

/** Who makes a management call (management.md: Manners). */
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
