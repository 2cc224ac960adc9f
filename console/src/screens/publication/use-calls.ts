import { useMutation } from '@tanstack/react-query';
import { type Api, management } from '../../api/management.js';

/** The sandbox's response for a post, fetched on demand, because each call counts toward a quota. */
export interface Calls {
  /** The networks' previews; undefined before they are fetched. */
  readonly preview: Api<'SandboxResult'>['preview'] | undefined;
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly ask: () => void;
}

/** Returns the API calls that would send a post now, according to its endpoint's sandbox. */
export const useCalls = (endpointId: string, payload: Api<'PostWithPayload'>['payload']): Calls => {
  // A mutation, not a query, so that it runs again only when the button is pressed.
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => management().post('/endpoints/{id}/sandbox', { path: { id: endpointId }, body: payload ?? {} }),
  });
  return { preview: data?.preview, error, isBusy: isPending, ask: () => mutate() };
};
