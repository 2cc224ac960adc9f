import { useQuery } from '@tanstack/react-query';
import { type Api, management, queryClient } from '../../api/management.js';

export type Projection = Api<'Projection'>;
export type Job = Api<'Job'>;

/** One row that differs between two versions. */
export interface Example {
  readonly table: string;
  readonly key: unknown;
  readonly kind: 'missing' | 'extra' | 'different';
  readonly live: Readonly<Record<string, unknown>> | null;
  readonly fresh: Readonly<Record<string, unknown>> | null;
  readonly events: readonly string[];
}

/** A comparison result, as returned by jobs. */
export interface Comparison {
  readonly version?: number;
  readonly position: string;
  readonly rows: number;
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  readonly examples: readonly Example[];
}

/** Polling interval during a build or job, in ms. Progress is not an event, so the stream does not announce it. */
const WATCH_MS = 1_000;

/**
 * Returns the query for all projections. Polls every second while a projection is being rebuilt or is not live,
 * otherwise every 15 s.
 */
export const useProjections = () =>
  useQuery({
    queryKey: ['projections'],
    queryFn: async () => (await management().get('/projections')).items,
    refetchInterval: (query) =>
      query.state.data?.some(({ candidate, state }) => candidate !== null || state !== 'live') ? WATCH_MS : 15_000,
  });

/** Returns the query for the latest jobs. Polls every second while a job is running, otherwise every 15 s. */
export const useJobs = () =>
  useQuery({
    queryKey: ['jobs'],
    queryFn: async () => (await management().get('/jobs', { query: { limit: 100 } })).items,
    refetchInterval: (query) => (query.state.data?.some(({ state }) => state === 'running') ? WATCH_MS : 15_000),
  });

/** Returns the comparison result of a job; null if the job is running, failed or has no comparison. */
export const comparisonOf = (job: Job | undefined): Comparison | null => {
  const result = job?.state === 'done' ? (job.result as Partial<Comparison> | null) : null;
  return result?.rows === undefined ? null : (result as Comparison);
};

/** Returns a projection's latest job of the given kind. */
export const latestJob = (jobs: readonly Job[], kind: string, projection: string): Job | undefined =>
  jobs.find((job) => job.kind === kind && job.projection === projection);

/** Fetches projections and jobs again after an operator's decision. */
export const refresh = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => first === 'projections' || first === 'jobs' });
