import { useQuery } from '@tanstack/react-query';
import { type Api, management, queryClient } from '../../api/management.js';
import { Pill } from '../../components/icon.js';
import { endpointsMessages as m } from './messages.js';

/** Shows whether an endpoint accepts posts, and if not, why. */
export const EndpointState = ({ endpoint: { disabled_by: by, mode } }: { readonly endpoint: Endpoint }) => {
  if (by !== null)
    return (
      <Pill icon="switchedOff" tone={by === 'owner' ? 'idle' : 'warn'}>
        {m.off[by]}
      </Pill>
    );
  return mode === 'live' ? (
    <Pill icon="published" tone="ok">
      {m.on}
    </Pill>
  ) : (
    <Pill icon="check" tone="idle">
      {m.test}
    </Pill>
  );
};

export type Endpoint = Api<'Endpoint'>;

/** Returns the query for one endpoint. */
export const useEndpoint = (id: string) =>
  useQuery({ queryKey: ['endpoint', id], queryFn: () => management().get('/endpoints/{id}', { path: { id } }) });

/** Fetches the endpoints again after a change. */
export const refreshEndpoints = (): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [first] }) => first === 'endpoints' || first === 'endpoint' || first === 'overview',
  });

/** Enables an endpoint. */
export const enableEndpoint = async (id: string): Promise<void> => {
  await management().post('/endpoints/{id}/enable', { path: { id } });
  await refreshEndpoints();
};
