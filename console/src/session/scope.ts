import { useMemo } from 'react';
import { useSession } from './session.js';

/** The owners whose data the screens show. */
export interface Scope {
  readonly isOperator: boolean;
  /** Null for all owners. */
  readonly ownerId: string | null;
  /** Query parameters for calls that return lists: `query: { ...scope.query, limit: 50 }`. */
  readonly query: { readonly owner_id?: string };
  /** Part of every list query key, because the results depend on the scope. */
  readonly key: string;
}

/** Returns the scope of the session: the signed-in owner, or the owner or owners that the operator selected. */
export const useScope = (): Scope => {
  const session = useSession();
  const isOperator = session?.role === 'operator';
  const ownerId = session?.owner?.id ?? null;
  return useMemo(
    () => ({
      isOperator,
      ownerId,
      query: isOperator && ownerId !== null ? { owner_id: ownerId } : {},
      key: ownerId ?? 'all',
    }),
    [isOperator, ownerId],
  );
};
