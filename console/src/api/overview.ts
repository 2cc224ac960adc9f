import { useQuery } from '@tanstack/react-query';
import { useScope } from '../session/scope.js';
import { type Api, management } from './management.js';

/** Until the typed client has it. */
export interface Overview {
  readonly at: string;
  readonly role: 'owner' | 'operator';
  readonly owner: {
    readonly id: string;
    readonly name: string;
    readonly plan: string;
    readonly posts_left: number | null;
  } | null;
  readonly attention: readonly {
    readonly code: string;
    readonly since: string;
    readonly count: number;
    readonly ids: readonly string[];
    readonly text: string;
    readonly action: { readonly label_code: string; readonly method: string; readonly path: string } | null;
  }[];
  readonly networks: readonly {
    readonly platform: string;
    readonly state: 'going' | 'slowed' | 'held' | 'in_doubt' | 'idle';
    readonly published_hour: number;
    readonly waiting: number;
    readonly oldest_at: string | null;
    readonly next_at: string | null;
    readonly in_doubt: number;
    readonly refused_hour: number;
    readonly p95_seconds: number | null;
  }[];
  readonly waiting: readonly Api<'Publication'>[];
  readonly minutes: readonly {
    readonly at: string;
    readonly published: number;
    readonly failed: number;
    readonly in_doubt: number;
  }[];
  readonly day: readonly {
    readonly at: string;
    readonly events: number;
    readonly failed: number;
    readonly in_doubt: number;
  }[];
}

/** Returns the query of everything that the overview, the badges and the tide show. */
export const useOverview = () => {
  const scope = useScope();
  return useQuery({
    queryKey: ['overview', scope.key],
    queryFn: () => getOverview(management(), scope.query),
  });
};

/** Asks for the overview. */
export const getOverview = (
  client: ReturnType<typeof management>,
  query: { readonly owner_id?: string },
): Promise<Overview> =>
  (client.get as unknown as (path: string, given: object) => Promise<Overview>)('/overview', { query });
