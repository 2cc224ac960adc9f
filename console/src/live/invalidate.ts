import type { QueryClient } from '@tanstack/react-query';

/** A change that the gateway announced. */
export interface Change {
  /** Type of the changed object, such as `publication`. */
  readonly kind: string;
  readonly ids: readonly string[];
}

/**
 * Query key prefixes, by the type of object that the queries show. A query's key begins with its prefix:
 * `['posts', scope.key, filter]`, `['post', id]`.
 */
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  post: ['overview', 'posts', 'post', 'requests'],
  publication: ['overview', 'posts', 'post', 'publication', 'channel'],
  channel: ['overview', 'channels', 'channel', 'posts', 'publication', 'preview'],
  project: ['overview', 'projects', 'project', 'preview'],
  'channel-pause': ['overview', 'channels', 'channel', 'posts', 'post', 'publication'],
  'project-pause': ['overview', 'projects', 'project', 'posts', 'post', 'publication'],
  endpoint: ['overview', 'endpoints', 'endpoint', 'preview'],
  'webhook-output': ['overview', 'outputs', 'output'],
  delivery: ['outputs', 'deliveries', 'delivery'],
  owner: ['overview', 'owners', 'owner', 'keys'],
  key: ['keys', 'me'],
  'request-log': ['requests'],
  projection: ['overview', 'projections', 'jobs'],
  recovery: ['overview', 'posts', 'post', 'recovery'],
};

/** Key prefixes of the history queries, which every change affects. */
const ALWAYS = ['ticks', 'history'];

/** How long to collect further changes after the first before refreshing, in ms. */
const GATHER_MS = 100;
/** Minimum time between screen refreshes, in ms, so that a busy gateway does not overload the page. */
const INTERVAL_MS = 500;

/**
 * Returns a function that marks the cached responses affected by a change as stale. Visible responses are fetched again
 * almost immediately after the first change, then every 500 ms while changes keep coming.
 */
export const createInvalidator = (queries: Pick<QueryClient, 'invalidateQueries'>): ((change: Change) => void) => {
  const stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flushedAt = -Infinity;
  const flush = (): void => {
    timer = undefined;
    flushedAt = performance.now();
    const keys = new Set(stale);
    stale.clear();
    void queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => keys.has(String(first)) });
  };
  return ({ kind }) => {
    for (const key of [...(SHOWN_BY[kind] ?? []), ...ALWAYS]) stale.add(key);
    timer ??= setTimeout(flush, Math.max(GATHER_MS, flushedAt + INTERVAL_MS - performance.now()));
  };
};
