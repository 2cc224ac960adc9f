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

/** Returns the calls that would send a post now, as its endpoint's sandbox previews them. */
export const useCalls = (endpointId: string, payload: Api<'PostWithPayload'>['payload']): Calls => {
  // A mutation instead of a query, so that only the button repeats it.
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => management().post('/endpoints/{id}/sandbox', { path: { id: endpointId }, body: payload ?? {} }),
  });
  return { preview: data?.preview, error, isBusy: isPending, ask: () => mutate() };
};
