import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useChannels, useNames, useProjects } from '../../api/things.js';
import { type TimelineSearch } from '../../app/search.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Empty, ErrorState, Skeleton } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import type { Post } from '../../publications/shown-state.js';
import { useNow } from '../../time/server-clock.js';
import { columnsOf, mainPublication, timeWindow, windowStep } from './columns.js';
import { FilterBar } from './filter-bar.js';
import { type Mark, marksByChannel, selectChannels } from './lane-marks.js';
import { Lanes } from './lanes.js';
import { timelineMessages as m } from './messages.js';
import { PostSearch } from './post-search.js';
import { PostsCard } from './posts-card.js';
import { TimelineHead } from './timeline-head.js';
import { useLaneHistory } from './use-lanes.js';
import { matchesFilter, type PostFilter, usePostList } from './use-post-list.js';
import { type Unsettled, useSelection, useUnsettled } from './use-selection.js';
import { countByChannel, countInState } from './waiting-summary.js';

/** Posts over time: what was published, what is waiting and why, and what to do about it. */
export const TimelineScreen = () => {
  const search = useSearch({ from: '/timeline' });
  const channels = useChannels();
  const unsettled = useUnsettled();
  const hasNone = channels.data?.length === 0;
  return (
    <>
      <TimelineHead {...unsettled} />
      {hasNone ? (
        <Card>
          <Empty icon="timeline" title={m.emptyTitle} action={<ButtonLink to="/channels/new">{m.connect}</ButtonLink>}>
            {m.noChannelsText}
          </Empty>
        </Card>
      ) : (
        <Content search={search} unsettled={unsettled} />
      )}
    </>
  );
};

const STATES = [
  'planned',
  'queued',
  'publishing',
  'published',
  'failed',
  'in_doubt',
  'filtered',
  'dismissed',
  'withdrawing',
  'withdrawn',
  'withdraw_failed',
] as const;

/** Returns the filters in the URL that the gateway can apply: all except the network. */
const toFilter = ({ state, channel, project }: TimelineSearch): PostFilter => {
  const known = STATES.find((each) => each === state);
  return {
    ...(known && { state: known }),
    ...(channel !== undefined && { channel_id: channel }),
    ...(project !== undefined && { project_id: project }),
  };
};

const Content = ({ search, unsettled }: { readonly search: TimelineSearch; readonly unsettled: Unsettled }) => {
  const navigate = useNavigate({ from: '/timeline' });
  const names = useNames();
  const channels = useChannels().data ?? NONE;
  const projects = useProjects().data ?? NONE;
  const [isHeld, setIsHeld] = useState(false);
  const span = search.span ?? '2h';
  const now = useNow(windowStep(span));
  const middle = search.at === undefined ? now : Date.parse(search.at);
  const shown = useMemo(() => timeWindow(span, middle), [span, middle]);

  const filter = toFilter(search);
  const { platform } = search;
  const { state: _state, ...laneFilter } = filter;
  const onlyState = filter.state;
  const listFilter = {
    ...filter,
    ...(search.at !== undefined && { until: search.at }),
    ...(search.find !== undefined && { text: search.find }),
    ...(search.by !== undefined && { by: search.by }),
  };
  const list = usePostList(listFilter, isHeld);
  const history = useLaneHistory(laneFilter, shown, search.at !== undefined, isHeld);

  const posts = useMemo(
    () => (list.list?.posts ?? []).filter((post) => matchesFilter(post, { platform })),
    [list.list, platform],
  );
  const shownChannels = useMemo(() => selectChannels(channels, projects, search), [channels, projects, search]);
  const columns = useMemo(() => columnsOf(shownChannels), [shownChannels]);
  const marks = useMemo(() => {
    const all = new Map(history.posts.map((post) => [post.id, post]));
    for (const page of Object.values(unsettled)) for (const post of page?.items ?? []) all.set(post.id, post);
    return marksByChannel(all.values(), now, ({ state }) => onlyState === undefined || state === onlyState);
  }, [history.posts, unsettled, now, onlyState]);
  const counts = useMemo(() => countByChannel(unsettled), [unsettled]);
  const selection = useSelection(posts);
  const selectedPost = posts.find(({ id }) => id === selection.postId);
  const selected =
    selection.publicationId ??
    (selectedPost ? (mainPublication(selectedPost.publications)?.id ?? selectedPost.id) : null);

  const change = useCallback(
    (members: object) =>
      void navigate({ search: (old: TimelineSearch) => ({ ...old, ...members }), replace: true, resetScroll: false }),
    [navigate],
  );
  const { choose } = selection;
  const select = useCallback(
    ({ post, publication }: Mark) => {
      if (posts.some(({ id }) => id === post.id)) choose(post, publication, true);
      // An old post that is still waiting may not be in the list yet.
      else void navigate({ to: '/publications/$id', params: { id: publication.id } });
    },
    [posts, choose, navigate],
  );
  const { loadMore } = list;
  const isFruitless = list.list?.isBarren === true || isSearchFruitless(list.list?.posts ?? NONE, posts);
  const onEnd = useCallback(() => {
    if (!isFruitless) void loadMore();
  }, [loadMore, isFruitless]);
  const arrived = (list.list?.arrived ?? []).filter((post) => matchesFilter(post, { platform }));

  return (
    <>
      <FilterBar
        search={search}
        counts={{
          planned: countInState(unsettled.planned, 'planned'),
          queued: countInState(unsettled.queued, 'queued'),
          in_doubt: countInState(unsettled.inDoubt, 'in_doubt'),
          failed: countInState(unsettled.failed, 'failed'),
        }}
        onChange={change}
      />
      <PostSearch search={search} filter={listFilter} names={names} onChange={change} />
      <Lanes
        channels={shownChannels}
        projects={projects}
        window={shown}
        isLive={search.at === undefined}
        marks={marks}
        counts={counts}
        completeSince={history.completeSince}
        selected={selected}
        onSelect={select}
      />
      {list.list === undefined ? (
        <Card className="posts">
          {list.error ? <ErrorState error={list.error} onRetry={list.retry} /> : <Skeleton rows={10} />}
        </Card>
      ) : posts.length === 0 && list.list.next === null ? (
        <>
          <Nothing
            isFiltered={Object.keys(search).some((name) => name !== 'span')}
            onClear={() => void navigate({ search: {} })}
          />
          <Archived before={list.list.archivedBefore} />
        </>
      ) : (
        <PostsCard
          posts={posts}
          columns={columns}
          names={names}
          selection={selection}
          arrived={{ count: arrived.length, isMore: list.list.gap !== null }}
          onShowArrived={list.show}
          onEnd={onEnd}
          onHold={setIsHeld}
          footer={
            list.error ? (
              <ErrorState error={list.error} onRetry={list.retry} />
            ) : isFruitless && list.list.next !== null ? (
              <p className="posts-foot">
                <Button onClick={() => void loadMore()}>{m.searchOn}</Button>
              </p>
            ) : (
              <>
                {list.list.next === null && posts.length > 20 && <p className="posts-foot tertiary">{m.end}</p>}
                <Archived before={list.list.archivedBefore} />
              </>
            )
          }
        />
      )}
    </>
  );
};

const NONE: readonly never[] = [];

/** After this many posts without a match, the user decides whether to search further back. */
const MAX_FRUITLESS = 1000;

/**
 * Returns whether too many of the oldest posts do not match. This can happen because the network filter is applied
 * here, not in the gateway.
 */
const isSearchFruitless = (all: readonly Post[], matching: readonly Post[]): boolean => {
  const last = matching.at(-1);
  const end = last ? all.indexOf(last) : -1;
  return all.length - end - 1 >= MAX_FRUITLESS;
};

/** Says that older posts are in the archive. */
const Archived = ({ before }: { readonly before: string | null }) =>
  before !== null && <p className="posts-foot tertiary">{m.archived(format.date(before))}</p>;

const Nothing = ({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) => (
  <Card className="posts">
    {isFiltered ? (
      <Empty icon="search" title={m.noMatch} action={<Button onClick={onClear}>{m.showAll}</Button>}>
        {m.noMatchText}
      </Empty>
    ) : (
      <Empty
        icon="timeline"
        title={m.emptyTitle}
        action={
          <ButtonLink to="/compose" search={{}}>
            {m.emptyAction}
          </ButtonLink>
        }
      >
        {m.emptyText}
      </Empty>
    )}
  </Card>
);
