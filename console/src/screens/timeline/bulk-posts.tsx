import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { readPages, refreshPosts } from '../../api/things.js';
import { BulkDialog } from '../../bulk/bulk-dialog.js';
import { bulkMessages as m } from '../../bulk/bulk-messages.js';
import { Segmented, TextField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { Empty, Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { type ChosenTime, readTime, suggestTime } from '../../planning/choose-time.js';
import { TimeFields } from '../../planning/move-dialog.js';
import { isPlanned } from '../../planning/planned-posts.js';
import { type Post, postTitle } from '../../publications/shown-state.js';
import { useScope } from '../../session/session.js';
import { browserZone } from '../../time/local-time.js';
import { serverNow } from '../../time/server-clock.js';
import { timelineMessages as t } from './messages.js';
import { matchesFilter, type PostFilter } from './use-post-list.js';

const HOUR = 3_600_000;

/** Number of posts that are offered at once. */
const MOST_POSTS = 500;
/** Number of pages that are read for each state. */
const MOST_PAGES = 3;

/** States in which a post can still be cancelled. */
const OPEN = ['planned', 'queued'] as const;

interface BulkPostsProps {
  readonly filter: PostFilter;
  readonly platform: string | undefined;
  readonly onClose: () => void;
}

interface OpenPosts {
  readonly posts: readonly Post[];
  readonly isCut: boolean;
}

const timeOf = ({ publish_at: at, accepted_at: acceptedAt }: Post): number => Date.parse(at ?? acceptedAt);

/** Reads the posts that the filters show and that can still be cancelled, the next to go first. */
const useOpenPosts = ({ filter, platform }: Omit<BulkPostsProps, 'onClose'>) => {
  const scope = useScope();
  return useQuery<OpenPosts>({
    // Not a key that changes refresh: the list stays as it is while something is done with it.
    queryKey: ['timeline', scope.key, 'open', JSON.stringify(filter), platform],
    gcTime: 0,
    queryFn: async () => {
      const states = OPEN.filter((each) => filter.state === undefined || filter.state === each);
      const lists = await Promise.all(
        states.map((state) =>
          readPages(
            (page) => management().get('/posts', { query: { ...scope.query, ...filter, state, ...page } }),
            MOST_PAGES,
          ),
        ),
      );
      const read = lists.flatMap(({ items }) => items).filter((post) => matchesFilter(post, { platform }));
      const posts = [...new Map(read.map((post) => [post.id, post])).values()].toSorted(
        (a, b) => timeOf(a) - timeOf(b),
      );
      const isCut = posts.length > MOST_POSTS || lists.some(({ isMore }) => isMore);
      return { posts: posts.slice(0, MOST_POSTS), isCut };
    },
  });
};

/** Moves or cancels the posts that the filters show, with one confirmation. */
export const BulkPosts = ({ onClose, ...wanted }: BulkPostsProps) => {
  const open = useOpenPosts(wanted);
  if (open.data && open.data.posts.length > 0) return <ChosenPosts {...open.data} onClose={onClose} />;
  return (
    <Dialog title={m.postsTitle} isOpen onClose={onClose}>
      <Loaded query={open} rows={4}>
        {() => (
          <Empty icon="calendar" title={m.nothing}>
            {m.nothingText}
          </Empty>
        )}
      </Loaded>
    </Dialog>
  );
};

const ChosenPosts = ({ posts, isCut, onClose }: OpenPosts & Pick<BulkPostsProps, 'onClose'>) => {
  const [verb, setVerb] = useState<'move' | 'cancel'>('move');
  const [how, setHow] = useState<'by' | 'to'>('by');
  const [typed, setTyped] = useState('24');
  const [when, setWhen] = useState<ChosenTime>(() => suggestTime(serverNow(), browserZone()));
  const hours = /^[-+]?\d{1,4}([.,]\d{1,2})?$/.test(typed.trim()) ? Number(typed.trim().replace(',', '.')) : 0;
  const read = readTime(when, browserZone(), serverNow());
  const items = posts
    .filter((post) => verb === 'cancel' || (isPlanned(post) && post.publish_at !== null))
    .map((post) => ({
      id: post.id,
      post,
      name: (
        <>
          <bdi>{postTitle(post, t.media)}</bdi>
          {post.publish_at !== null && (
            <small className="tertiary">{format.moment(post.publish_at, serverNow())}</small>
          )}
        </>
      ),
    }));
  const move = async (post: Post, chosen: readonly (typeof items)[number][], isAgain: boolean): Promise<void> => {
    const first = Math.min(...chosen.map((each) => timeOf(each.post)));
    const shift = how === 'by' ? hours * HOUR : (read.problem === null ? read.at : first) - first;
    const path = { id: post.id };
    const { revision } = isAgain ? await management().get('/posts/{id}', { path }) : post;
    // A time, not a distance: moving a post twice, because the first answer was lost, moves it once.
    const body = { publish_at: new Date(timeOf(post) + shift).toISOString() };
    await management().patch('/posts/{id}', { path, body, ifRevision: revision });
  };
  return (
    <BulkDialog
      key={verb}
      title={m.postsTitle}
      text={isCut ? m.postsCut(MOST_POSTS) : m.postsText}
      label={m.posts}
      items={items}
      fields={
        <div className="dialog-form">
          <Segmented
            label={m.what}
            value={verb}
            options={[
              { value: 'move', label: m.move },
              { value: 'cancel', label: m.cancel },
            ]}
            onChange={setVerb}
          />
          {verb === 'move' && (
            <>
              <Segmented
                label={m.how}
                value={how}
                options={[
                  { value: 'by', label: m.by },
                  { value: 'to', label: m.to },
                ]}
                onChange={setHow}
              />
              {how === 'by' ? (
                <TextField
                  label={m.amount}
                  hint={m.amountHint}
                  error={hours === 0 && m.badAmount}
                  value={typed}
                  onChange={setTyped}
                />
              ) : (
                <TimeFields value={when} onChange={setWhen} />
              )}
            </>
          )}
        </div>
      }
      consequence={verb === 'cancel' ? m.cancels : how === 'by' ? m.movesBy : m.movesTo}
      verb={verb === 'move' ? m.moveCount : m.cancelCount}
      isDanger={verb === 'cancel'}
      isReady={verb === 'cancel' || (how === 'by' ? hours !== 0 : read.problem === null)}
      work={({ id, post }, chosen, isAgain) =>
        verb === 'cancel' ? management().post('/posts/{id}/cancel', { path: { id } }) : move(post, chosen, isAgain)
      }
      onEnd={refreshPosts}
      onClose={onClose}
    />
  );
};
