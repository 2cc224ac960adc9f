import type { Method, PathOf } from './management.js';
import { ROUTE_SCOPES } from './route-scopes.js';
import type { Schemas } from './schema.js';

/** A route of the management API: `POST /channels/{id}/pause`. */
export type ManagementRoute = { [M in Method]: `${M} ${PathOf<M>}` }[Method];

/** What a key may do, from `GET /me`. */
export type KeyRights = Pick<NonNullable<Schemas['Me']['key']>, 'scopes' | 'endpoint_ids'>;

/**
 * Returns whether a key's scopes and limit allow a call, as the gateway decides it before it looks at the request
 * (D-93, D-94). It does not know most of the routes that are for operators only.
 * @param key null for the operator
 */
export const mayCall = (key: KeyRights | null, route: ManagementRoute): boolean => {
  if (key === null) return true;
  const { scopes, endpoint_ids: endpointIds } = key;
  const isGet = route.startsWith('GET ');
  const declared = ROUTE_SCOPES[route] ?? (isGet ? 'read' : 'manage');
  if (scopes.includes('audit')) return isGet || declared.endsWith('*');
  if (endpointIds !== null && !declared.includes('+')) return false;
  const needed = declared.replace(/\W+$/, '');
  if (needed === 'operator') return false;
  return needed === 'read' || scopes.some((scope) => scope === needed || scope === 'manage');
};
