import { QueryClient } from '@tanstack/react-query';
import { GatewayError } from './management.js';

/** Retries lost connections, 429 and 5xx up to three times. Retrying would not help against any other error. */
const shouldRetry = (failures: number, error: unknown): boolean =>
  failures < 3 && error instanceof GatewayError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Wait before a retry, in ms: Retry-After if the gateway sent it, otherwise exponential backoff; at most 30 s. */
const retryDelay = (failures: number, error: unknown): number => {
  const asked = error instanceof GatewayError ? error.retryAfter : null;
  return Math.min(asked === null ? 1000 * 2 ** failures : asked * 1000, 30_000);
};

/**
 * Caches the gateway's answers. They are current until the stream of changes says otherwise (live/invalidate.ts), so
 * nothing is fetched again when a window gets the focus.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // Whether the browser considers itself online says nothing about a gateway on this machine or in this network.
      networkMode: 'always',
      retry: shouldRetry,
      retryDelay,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
