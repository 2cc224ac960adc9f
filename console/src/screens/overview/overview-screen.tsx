import './overview.css';
import { Navigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { countItems, type Overview, useIsForYou, useOverview } from '../../api/overview.js';
import { prefetchThings } from '../../api/things.js';
import { ButtonLink } from '../../components/button.js';
import { Columns, PageHead } from '../../components/card.js';
import { Loaded, Skeleton } from '../../components/states.js';
import { Age } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { useMay } from '../../session/rights.js';
import { useScope } from '../../session/session.js';
import { AttentionList } from './attention-list.js';
import { hasPublished } from './has-published.js';
import { LiveFeed } from './live-feed.js';
import { overviewMessages as m } from './messages.js';
import { summarize } from './network-look.js';
import { NetworkTiles } from './network-tiles.js';
import { PublishedChart } from './published-chart.js';
import { WaitingCard } from './waiting-card.js';

/** Number of feed rows that are as tall as the chart. The chart is shown below the waiting publications. */
const ROWS_BESIDE_CHART = 8;

const NextCards = lazy(() => import('./next-cards.js'));
const TopPostsCard = lazy(() => import('./top-posts-card.js'));

/**
 * An owner's overview: what needs attention, the four networks, what is waiting, the last hour, and live activity.
 */
export const OwnerOverview = ({ overview }: { readonly overview: Overview }) => {
  const isForYou = useIsForYou();
  const { waiting, publishedHour, oldestAt } = summarize(overview);
  const attention = countItems(overview.attention.filter(isForYou));
  const others = countItems(overview.attention) - attention;
  const calm = waiting + publishedHour > 0 ? m.publishing : m.published;
  const rest = waiting === 0 ? m.nothingWaiting : m.areWaiting(waiting, format.number(waiting));
  return (
    <>
      <PageHead
        title={
          attention > 0
            ? m.needsAttention(attention, format.number(attention))
            : others > 0
              ? m.othersApprove(others, format.number(others))
              : `${calm} ${rest}`
        }
        actions={
          <ButtonLink to="/compose" icon="compose" className="overview-compose">
            {m.compose}
          </ButtonLink>
        }
      >
        {m.publishedHour(publishedHour, format.number(publishedHour))}{' '}
        {oldestAt !== null && (
          <>
            {m.waitingOldest(waiting, format.number(waiting))} <Age since={oldestAt} />.
          </>
        )}
      </PageHead>
      <AttentionList overview={overview} />
      <NetworkTiles overview={overview} />
      <Columns first="1.62fr" isEven>
        <div className="overview-column">
          <WaitingCard waiting={overview.waiting} total={waiting} />
          <PublishedChart overview={overview} />
          <Suspense fallback={null}>
            <TopPostsCard />
          </Suspense>
        </div>
        <div className="overview-column overview-news">
          <Suspense fallback={null}>
            <NextCards />
          </Suspense>
          <LiveFeed recent={overview.recent} rows={Math.max(12, overview.waiting.length + ROWS_BESIDE_CHART)} />
        </div>
      </Columns>
    </>
  );
};

const OperatorOverview = lazy(() => import('./operator-overview.js'));
const FirstRun = lazy(() => import('./first-run/first-run.js'));

/** The overview of one owner or of all owners. Before an owner's first publication, it shows the steps to get there. */
export const OverviewScreen = () => {
  const scope = useScope();
  const overview = useOverview();
  // A key that is limited to endpoints sees their posts, but no figures of the whole owner (D-93).
  if (!useMay('GET /overview')) return <Navigate to="/timeline" replace />;
  return (
    <Loaded isPage query={overview} rows={8}>
      {(overview) => (
        <Suspense fallback={<Skeleton rows={8} />}>
          {scope.ownerId === null ? (
            <OperatorOverview overview={overview} />
          ) : (
            <OwnOverview key={scope.key} overview={overview} />
          )}
        </Suspense>
      )}
    </Loaded>
  );
};

/** Keeps the first run on the screen until the user leaves it, so that the first post appears where it was sent. */
const OwnOverview = ({ overview }: { readonly overview: Overview }) => {
  const [isFirstRun, setIsFirstRun] = useState(() => {
    const isFirst = !hasPublished(overview);
    // Its scripts may still be loading.
    if (isFirst) prefetchThings();
    return isFirst;
  });
  // Its steps are the owner's.
  const mayConnect = useMay('POST /channels');
  if (isFirstRun && mayConnect) return <FirstRun overview={overview} onLeave={() => setIsFirstRun(false)} />;
  return <OwnerOverview overview={overview} />;
};
