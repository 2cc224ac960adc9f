import { QueryClient } from '@tanstack/react-query';
import { GatewayError } from './management.js';

/**
 * Returns whether to retry: up to three times for lost connections, 429 and 5xx. Retrying would not help with other
 * errors.
 */
const shouldRetry = (failures: number, error: unknown): boolean =>
  failures < 3 && error instanceof GatewayError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Returns the retry delay in ms, at most 30 s: Retry-After if the gateway sent it, otherwise exponential backoff. */
const retryDelay = (failures: number, error: unknown): number => {
  const asked = error instanceof GatewayError ? error.retryAfter : null;
  return Math.min(asked === null ? 1000 * 2 ** failures : asked * 1000, 30_000);
};

/**
 * Caches the gateway's responses. They stay current until the change stream marks them as stale (live/invalidate.ts),
 * so nothing is fetched again when a window receives focus.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // The browser's online state says nothing about a gateway on this machine or network.
      networkMode: 'always',
      retry: shouldRetry,
      retryDelay,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
