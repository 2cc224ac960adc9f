import { useQuery } from '@tanstack/react-query';
import { type Api, management } from '../../../api/management.js';
import { useScope } from '../../../session/scope.js';

/** Returns the newest post, however it was sent, and keeps it up to date. */
export const useNewestPost = (): Api<'Post'> | undefined => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'newest'],
    queryFn: () => management().get('/posts', { query: { ...scope.query, limit: 1 } }),
  }).data?.items[0];
};
