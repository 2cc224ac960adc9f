import { useQuery } from '@tanstack/react-query';
import { useScope } from '../session/scope.js';
import { type Api, management } from './management.js';

const MINUTE_MS = 60_000;

/** Until the typed client has it. */
export interface Overview {
  readonly at: string;
  readonly role: 'owner' | 'operator';
  readonly owner: {
    readonly id: string;
    readonly name: string;
    readonly plan: string;
    readonly posts_left: number | null;
    readonly posts_used: number;
    readonly resets_at: string;
  } | null;
  readonly attention: readonly Attention[];
  readonly networks: readonly Network[];
  readonly waiting: readonly WaitingPublication[];
  readonly minutes: readonly Minute[];
  readonly day: readonly {
    readonly at: string;
    readonly events: number;
    readonly failed: number;
    readonly in_doubt: number;
  }[];
  readonly recent: readonly Recent[];
  readonly checks: readonly Check[] | null;
  readonly longest: readonly LongestWait[] | null;
}

export interface Attention {
  readonly code: string;
  readonly since: string;
  readonly count: number;
  readonly ids: readonly string[];
  readonly text: string;
  readonly action: { readonly label_code: string; readonly method: string; readonly path: string } | null;
  readonly subject: {
    readonly id: string | null;
    readonly name: string | null;
    readonly owner_id: string | null;
    readonly owner_name: string | null;
    readonly platform: string | null;
    readonly channel_id: string | null;
    readonly channel_name: string | null;
    readonly publication_id: string | null;
    readonly post_id: string | null;
    readonly excerpt: string | null;
    readonly code: string | null;
    readonly message: string | null;
    readonly platform_says: string | null;
    readonly disabled_by: string | null;
    readonly waiting: number | null;
    readonly plan: string | null;
    readonly resets_at: string | null;
    readonly position: string | null;
    readonly event_type: string | null;
  };
}

export interface Network {
  readonly platform: string;
  readonly state: 'going' | 'slowed' | 'held' | 'in_doubt' | 'idle';
  readonly published_hour: number;
  readonly waiting: number;
  readonly oldest_at: string | null;
  readonly next_at: string | null;
  readonly in_doubt: number;
  readonly failed: number;
  readonly refused_hour: number;
  readonly p95_seconds: number | null;
  readonly last_published_at: string | null;
  readonly minutes: readonly number[];
}

export type WaitingPublication = Api<'Publication'> & {
  readonly excerpt: string | null;
  readonly accepted_at: string;
  readonly channel: { readonly id: string; readonly name: string | null };
};

export interface Minute {
  readonly at: string;
  readonly published: number;
  readonly failed: number;
  readonly in_doubt: number;
}

export interface Recent {
  readonly at: string;
  readonly kind: string;
  readonly platform: string | null;
  readonly publication_id: string | null;
  readonly post_id: string | null;
  readonly excerpt: string | null;
  readonly resource_id: string | null;
  readonly name: string | null;
}

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  readonly latency_ms: number | null;
  readonly position: string | null;
  readonly degraded: readonly string[];
}

export interface LongestWait {
  readonly owner_id: string;
  readonly owner_name: string;
  readonly rule: string | null;
  readonly platform: string;
  readonly posts: number;
  readonly oldest_at: string;
}

/** Returns the query of everything that the overview, the badges and the tide show. */
export const useOverview = () => {
  const scope = useScope();
  return useQuery({
    queryKey: ['overview', scope.key],
    queryFn: () => getOverview(management(), scope.query),
    // The minutes go by without an event as well.
    refetchInterval: MINUTE_MS,
  });
};

/** Asks for the overview. */
export const getOverview = (
  client: ReturnType<typeof management>,
  query: { readonly owner_id?: string },
): Promise<Overview> =>
  (client.get as unknown as (path: string, given: object) => Promise<Overview>)('/overview', { query });
