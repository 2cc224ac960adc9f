import { QueryClient } from '@tanstack/react-query';
import { GatewayError } from './management.js';

/** Retries after lost connections, 429 and 5xx, and gives up after the third attempt. Other errors will not change. */
const shouldRetry = (failures: number, error: unknown): boolean =>
  failures < 3 && error instanceof GatewayError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** The waits before retries, in ms: Retry-After if the gateway names one of at most 30 s. */
const retryDelay = (failures: number, error: unknown): number => {
  const asked = error instanceof GatewayError ? error.retryAfter : null;
  return Math.min(asked === null ? 1000 * 2 ** failures : asked * 1000, 30_000);
};

/**
 * The answers of the gateway. They are current until the stream of changes says otherwise (live/invalidate.ts), so
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
