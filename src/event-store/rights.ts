import { hasScope, type KeyRights, type Scope } from '../kernel/events.js';
import { RESOURCE_MESSAGES } from '../kernel/messages.js';
import { reject, type Rejection } from '../kernel/result.js';

/** Returns a rejection if a key may not do what needs a scope, else null (D-93). */
export const rejectMissingScope = ({ scopes }: KeyRights, needed: Scope): Rejection<'missing_scope'> | null =>
  hasScope(scopes, needed)
    ? null
    : reject('missing_scope', RESOURCE_MESSAGES.missingScope({ scope: needed }), { needed });

/** True if a limited key may not use an endpoint. @param endpointId null for what belongs to no endpoint */
export const isBeyondLimit = (rights: KeyRights | undefined, endpointId: string | null): boolean => {
  const limit = rights?.endpointIds ?? null;
  return endpointId !== null && limit !== null && !limit.includes(endpointId);
};
