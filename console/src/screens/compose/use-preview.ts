import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Api, GatewayError, management } from '../../api/management.js';

/** Delay between the last change and the sandbox call, in ms. */
const WAIT_MS = 300;

/** The sandbox's response: a preview, or the problems that would keep the post from being accepted. */
type Answer =
  | { readonly kind: 'preview'; readonly result: Api<'SandboxResult'> }
  | { readonly kind: 'refused'; readonly problems: readonly Api<'ErrorDetail'>[] };

/** The result of checking a post, and how current it is. */
export interface Preview {
  /** The last preview, which may be older than the post. */
  readonly result: Api<'SandboxResult'> | null;
  /** Problems with the current post; empty if there are none or the post has not been checked yet. */
  readonly problems: readonly Api<'ErrorDetail'>[];
  /** True if `result` is older than the post. */
  readonly isStale: boolean;
  /** The reason the post could not be checked; null if it has been checked or the check is in progress. */
  readonly error: unknown;
}

/** Checks and previews a payload 300 ms after its last change. Results for older payloads count as stale. */
export const usePreview = (endpointId: string | undefined, payload: Api<'PublishPayloadRequest'> | null): Preview => {
  const body = payload === null ? null : JSON.stringify(payload);
  const asked = useSettled(body);
  const query = useQuery({
    queryKey: ['preview', endpointId, asked],
    queryFn: () => ask(endpointId ?? '', asked ?? ''),
    enabled: endpointId !== undefined && asked !== null,
    placeholderData: keepPreviousData,
    // Every version of the text has its own key, so old previews would otherwise pile up in the cache.
    gcTime: 10_000,
  });
  const isCurrent = asked === body && !query.isPlaceholderData;
  const [last, setLast] = useState<Api<'SandboxResult'> | null>(null);
  if (query.data?.kind === 'preview' && query.data.result !== last) setLast(query.data.result);
  return {
    result: last,
    problems: isCurrent && query.data?.kind === 'refused' ? query.data.problems : [],
    isStale: !isCurrent || query.data?.kind !== 'preview',
    error: asked === body ? query.error : null,
  };
};

/** Debounces a value; returns the first value immediately. */
const useSettled = (value: string | null): string | null => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (value === settled) return;
    const timer = setTimeout(() => setSettled(value), WAIT_MS);
    return () => clearTimeout(timer);
  }, [value, settled]);
  return settled;
};

const ask = async (id: string, body: string): Promise<Answer> => {
  try {
    const payload = JSON.parse(body) as Api<'PublishPayloadRequest'>;
    return {
      kind: 'preview',
      result: await management().post('/endpoints/{id}/sandbox', { path: { id }, body: payload }),
    };
  } catch (error) {
    if (error instanceof GatewayError && (error.status === 400 || error.status === 422)) {
      return { kind: 'refused', problems: error.details };
    }
    throw error;
  }
};
