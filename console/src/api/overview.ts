import { useQuery } from '@tanstack/react-query';
import type { Management } from '../../../clients/typescript/src/index.js';
import { may, useMay } from '../session/rights.js';
import { getSession, type Scope, scopeOf, useScope } from '../session/session.js';
import { type Api, management, queryClient } from './management.js';

const MINUTE_MS = 60_000;

/** The response of `GET /overview`, and its parts. */
export type Overview = Api<'CurrentOverview'>;
export type Attention = Api<'AttentionItem'>;
export type Network = Api<'Network'>;
export type WaitingPublication = Api<'WaitingPublication'>;
export type Minute = Api<'Minute'>;
export type Recent = Api<'Recent'>;
export type Check = Api<'Check'>;
export type LongestWait = Api<'LongestWait'>;

const overviewOf = (scope: Scope) => ({
  queryKey: ['overview', scope.key],
  queryFn: () => getOverview(management(), scope.query),
});

/** Starts to read the overview before the scripts of its parts are requested: see `prefetchThings`. */
export const prefetchOverview = (): void => {
  const session = getSession();
  if (session !== null && may(session, 'GET /overview')) void queryClient.prefetchQuery(overviewOf(scopeOf(session)));
};

/** Returns the query behind the overview, the badges and the tide. */
export const useOverview = () => {
  const scope = useScope();
  return useQuery({
    ...overviewOf(scope),
    enabled: useMay('GET /overview'),
    // The overview changes as time passes, even without an event.
    refetchInterval: MINUTE_MS,
  });
};

/** Counts the things that items are about. */
export const countItems = (items: readonly Pick<Attention, 'count'>[]): number =>
  items.reduce((total, { count }) => total + count, 0);

/** Returns whether an item is for this person to deal with. An approval is up to those who may approve. */
export const useIsForYou = (): ((item: Pick<Attention, 'code'>) => boolean) => {
  const mayApprove = useMay('POST /posts/{id}/approve');
  return ({ code }) => mayApprove || code !== 'approval_needed';
};

/** Fetches the overview. */
export const getOverview = (client: Management, query: { readonly owner_id?: string }): Promise<Overview> =>
  client.get('/overview', { query });
