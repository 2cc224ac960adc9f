import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useChannels, useNames, useProjects } from '../../api/things.js';
import { Button, ButtonLink } from '../../components/button.js';
import { PageHead } from '../../components/card.js';
import { Empty, ErrorState, Skeleton } from '../../components/states.js';
import { Card } from '../../components/card.js';
import { useFormat } from '../../i18n/format.js';
import { useMessages } from '../../i18n/messages.js';
import { PauseDialog } from '../../pauses/pause-dialog.js';
import { useNow } from '../../time/server-clock.js';
import { columnsOf, mainPublication } from './columns.js';
import { countByChannel } from './count-by-channel.js';
import { FilterBar } from './filter-bar.js';
import { selectChannels } from './lane-groups.js';
import { type Mark, marksByChannel } from './lane-marks.js';
import { Lanes } from './lanes.js';
import { timelineMessages } from './messages.js';
import type { Page } from './post-list.js';
import { PostsCard } from './posts-card.js';
import type { TimelineSearch } from './search.js';
import { timeWindow, windowStep } from './time-window.js';
import { describeSummary } from './timeline-heading.js';
import { useLaneHistory } from './use-lane-history.js';
import { matchesFilter, type PostFilter, usePostList } from './use-post-list.js';
import { useSelection } from './use-selection.js';
import { useUnsettled } from './use-unsettled.js';
import { summarizeWaiting } from './waiting-summary.js';

/** The posts over time: what was published, what waits and why, and what can be done about it. */
export const TimelineScreen = () => {
  const m = useMessages(timelineMessages);
  const search = useSearch({ from: '/timeline' });
  const channels = useChannels();
  const unsettled = useUnsettled();
  const hasNone = channels.data?.length === 0;
  return (
    <>
      <Heading queued={unsettled.queued} inDoubt={unsettled.inDoubt} failed={unsettled.failed} />
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

type Unsettled = ReturnType<typeof useUnsettled>;

const count = (page: Page | undefined, state: string): number =>
  page?.items.flatMap(({ publications }) => publications).filter((each) => each.state === state).length ?? 0;

/** The answer: how many publications wait, and for what. */
const Heading = ({ queued, inDoubt, failed }: Unsettled) => {
  const m = useMessages(timelineMessages);
  const format = useFormat();
  const [isPausing, setIsPausing] = useState(false);
  const title = useMemo(() => {
    if (!queued) return m.loading;
    const publications = queued.items.flatMap((post) => post.publications);
    return describeSummary(summarizeWaiting(publications), queued.next !== null, m, format);
  }, [queued, m, format]);
  const notes = [
    count(inDoubt, 'in_doubt') > 0 && m.inDoubtNote(count(inDoubt, 'in_doubt')),
    count(failed, 'failed') > 0 && m.failedNote(count(failed, 'failed')),
  ].filter(Boolean);
  return (
    <PageHead
      title={title}
      actions={
        <>
          <Button icon="paused" onClick={() => setIsPausing(true)}>
            {m.pause}
          </Button>
          <ButtonLink look="primary" icon="compose" to="/compose" search={{}}>
            {m.compose}
          </ButtonLink>
        </>
      }
    >
      {[...(notes.length > 0 ? notes : [m.restPublished]), m.choose].join(' ')}
      {isPausing && <PauseDialog onClose={() => setIsPausing(false)} />}
    </PageHead>
  );
};

const STATES = ['queued', 'publishing', 'published', 'failed', 'in_doubt', 'filtered', 'dismissed'] as const;

/** Returns the filter of the gateway that an address asks for. */
const toFilter = ({ state, channel, project }: TimelineSearch): PostFilter => {
  const known = STATES.find((each) => each === state);
  return {
    ...(known && { state: known }),
    ...(channel !== undefined && { channel_id: channel }),
    ...(project !== undefined && { project_id: project }),
  };
};

const Content = ({ search, unsettled }: { readonly search: TimelineSearch; readonly unsettled: Unsettled }) => {
  const m = useMessages(timelineMessages);
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
  const list = usePostList({ ...filter, ...(search.at !== undefined && { until: search.at }) }, isHeld);
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
      void navigate({ search: (old) => ({ ...old, ...members }), replace: true, resetScroll: false }),
    [navigate],
  );
  const { choose } = selection;
  const select = useCallback(
    ({ post, publication }: Mark) => {
      if (posts.some(({ id }) => id === post.id)) choose(post, publication, true);
      // An old post that still waits is not among the rows yet.
      else void navigate({ to: '/publications/$id', params: { id: publication.id } });
    },
    [posts, choose, navigate],
  );
  const { loadMore } = list;
  const onEnd = useCallback(() => void loadMore(), [loadMore]);
  const arrived = (list.list?.arrived ?? []).filter((post) => matchesFilter(post, { platform }));

  return (
    <>
      <FilterBar
        search={search}
        counts={{
          queued: unsettled.queued && count(unsettled.queued, 'queued'),
          in_doubt: unsettled.inDoubt && count(unsettled.inDoubt, 'in_doubt'),
          failed: unsettled.failed && count(unsettled.failed, 'failed'),
        }}
        onChange={change}
      />
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
        <Nothing
          isFiltered={Object.keys(search).some((name) => name !== 'span')}
          onClear={() => void navigate({ search: {} })}
        />
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
            ) : (
              list.list.next === null && posts.length > 20 && <p className="posts-foot tertiary">{m.end}</p>
            )
          }
        />
      )}
    </>
  );
};

const NONE: readonly never[] = [];

const Nothing = ({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) => {
  const m = useMessages(timelineMessages);
  return (
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
};
