import { useQuery } from '@tanstack/react-query';
import { type Api, management } from '../../api/management.js';
import { queryClient } from '../../api/query-client.js';
import { readAll } from '../../api/things.js';

export type Owner = Api<'Owner'>;

export const PLANS = ['free', 'mini', 'standard', 'pro', 'maxi', 'business'] as const;
export type Plan = (typeof PLANS)[number];

/** Returns a plan's human-readable name. */
export const planTitle = (plan: string): string => plan.charAt(0).toUpperCase() + plan.slice(1);

/** Returns the query for all owners. */
export const useOwners = () =>
  useQuery({
    queryKey: ['owners'],
    queryFn: () => readAll((page) => management().get('/owners', { query: page })),
  });

/** Returns the query for one owner. */
export const useOwner = (id: string) =>
  useQuery({ queryKey: ['owner', id], queryFn: () => management().get('/owners/{id}', { path: { id } }) });

/** Fetches the owners again after a change. */
export const refreshOwners = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => first === 'owners' || first === 'owner' });
