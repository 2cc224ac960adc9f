import type { PostWithPayload } from '../../../projections/posts/post-payloads.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import { SharedPosts } from './shared-inputs.js';

const rowOf = (post: string): ScheduledPublication =>
  ({ post_id: post, post_stream: 'endpoint-1', post_revision: post }) as ScheduledPublication;

/** Returns posts that count their reads. @param failures number of initial reads that fail */
const countReads = (failures = 0) => {
  const read: string[] = [];
  const posts = new SharedPosts({
    readPost: async (_, revision) => {
      read.push(revision);
      if (read.length <= failures) throw new Error('an outage');
      return { payload: { text: revision } } as PostWithPayload;
    },
  });
  return { posts, read };
};

describe('the publications of a post', () => {
  it('share one read while any of them is under way', async () => {
    const { posts, read } = countReads();
    const uses = Array.from({ length: 100 }, () => posts.use(rowOf('7')));
    const found = await Promise.all(uses.map((use) => use.read()));
    expect(new Set(found).size).toBe(1);
    for (const use of uses.slice(1)) use.end();
    expect(await posts.use(rowOf('7')).read()).toBe(found[0]);
    expect(read).toEqual(['7']);
  });

  it('read it again after the last of them has ended', async () => {
    const { posts, read } = countReads();
    const first = posts.use(rowOf('7'));
    await first.read();
    first.end();
    await posts.use(rowOf('7')).read();
    expect(read).toEqual(['7', '7']);
  });

  it('share nothing with another post, and no failed read with a later publication', async () => {
    const { posts, read } = countReads(1);
    const use = posts.use(rowOf('7'));
    await expect(use.read()).rejects.toThrow('an outage');
    expect((await posts.use(rowOf('7')).read()).payload.text).toBe('7');
    expect((await posts.use(rowOf('8')).read()).payload.text).toBe('8');
    expect(read).toEqual(['7', '7', '8']);
  });
});
