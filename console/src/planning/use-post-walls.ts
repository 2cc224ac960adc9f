import { useQuery } from '@tanstack/react-query';
import { type Api, management } from '../api/management.js';
import { useChannels } from '../api/things.js';
import { ownLimit } from '../walls/own-limit.js';
import { readWall, type Wall } from '../walls/read-wall.js';

/** A post as readers of one channel would see it. */
export interface PostWall {
  readonly wall: Wall;
  readonly channel: Pick<Api<'Channel'>, 'id' | 'name'>;
}

/**
 * Returns the query for a post's preview. Its time is omitted, because it may have passed while the post waits for
 * approval.
 */
export const usePostPreview = (post: Api<'PostWithPayload'> | undefined) =>
  useQuery({
    queryKey: ['preview', 'post', post?.id, post?.revision],
    queryFn: () => {
      const { publish_at: _time, ...body } = post?.payload ?? {};
      return management().post('/endpoints/{id}/sandbox', { path: { id: post?.endpoint_id ?? '' }, body });
    },
    enabled: post !== undefined && post.payload !== null,
    // Not retried, because each request counts toward a daily quota.
    retry: false,
  });

/** Returns one wall for each network of a post, and a separate wall for each channel with its own text. */
export const usePostWalls = (
  post: Pick<Api<'Post'>, 'publications'>,
  preview: Api<'SandboxResult'>['preview'] | undefined,
): readonly PostWall[] => {
  const channels = useChannels().data;
  if (!preview) return [];
  const shown = new Set<string>();
  return post.publications.flatMap(({ platform, target_id: id }): PostWall[] => {
    const key = preview[id] ? id : platform;
    const found = preview[key];
    if (!found || shown.has(key)) return [];
    shown.add(key);
    const channel = channels?.find((each) => each.id === id);
    return [
      {
        wall: readWall(platform, found, id, channel ? ownLimit(channel) : null),
        channel: channel ?? { id, name: id },
      },
    ];
  });
};
