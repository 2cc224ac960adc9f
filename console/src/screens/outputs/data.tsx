import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type Api, management, queryClient } from '../../api/management.js';
import { readAll } from '../../api/things.js';
import { Pill } from '../../components/icon.js';
import { useScope } from '../../session/session.js';
import { outputsMessages as m } from './messages.js';

/** Shows whether a webhook receives deliveries, and if not, why. */
export const OutputState = ({ output: { disabled_by: by } }: { readonly output: Output }) => {
  if (by === null)
    return (
      <Pill icon="published" tone="ok">
        {m.on}
      </Pill>
    );
  return (
    <Pill icon="switchedOff" tone={by === 'owner' ? 'idle' : 'warn'}>
      {m.off[by]}
    </Pill>
  );
};

export type Output = Api<'WebhookOutput'>;
export type Delivery = Api<'Delivery'>;
export type Kind = Output['kinds'][number];

export const KINDS = [
  'post.published',
  'publication.succeeded',
  'publication.failed',
  'publication.in_doubt',
  'publication.withdrawn',
  'publication.withdraw_failed',
  'publication.edited',
  'publication.edit_failed',
  'post.completed',
  'post.statistics',
  'post.approval_needed',
  'endpoint.disabled',
  'channel.needs_attention',
] as const satisfies readonly Kind[];

/** Returns the host of a webhook's URL. */
export const hostOf = ({ url }: Pick<Output, 'url'>): string => (URL.canParse(url) ? new URL(url).host : url);

/** Returns the query for all webhooks in the scope. */
export const useOutputs = () => {
  const scope = useScope();
  return useQuery({
    queryKey: ['outputs', scope.key],
    queryFn: () => readAll((page) => management().get('/webhook-outputs', { query: { ...scope.query, ...page } })),
  });
};

/** Returns the query for one webhook. */
export const useOutput = (id: string) =>
  useQuery({ queryKey: ['output', id], queryFn: () => management().get('/webhook-outputs/{id}', { path: { id } }) });

/** Returns the query for a webhook's deliveries, newest first, page by page. */
export const useDeliveries = (id: string, state: Delivery['state'] | null) =>
  useInfiniteQuery({
    queryKey: ['deliveries', id, state ?? 'all'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      management().get('/webhook-outputs/{id}/deliveries', {
        path: { id },
        query: { limit: 50, ...(state && { state }), ...(pageParam !== null && { cursor: pageParam }) },
      }),
    getNextPageParam: ({ next }) => next,
  });

/** Fetches webhooks and deliveries again after a change. */
export const refreshOutputs = (): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [first] }) => ['outputs', 'output', 'deliveries', 'overview'].includes(String(first)),
  });
