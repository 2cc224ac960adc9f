import { lazy, Suspense, useState } from 'react';
import { type Overview, useOverview } from '../../api/overview.js';
import { Loaded, Skeleton } from '../../components/states.js';
import { useScope } from '../../session/scope.js';
import { OwnerOverview } from './owner-overview.js';

const OperatorOverview = lazy(() => import('./operator-overview.js'));
const FirstRun = lazy(() => import('./first-run/first-run.js'));

/** The overview of one owner or of all owners. Before an owner's first publication, it shows the steps to get there. */
export const OverviewScreen = () => {
  const scope = useScope();
  return (
    <Loaded query={useOverview()} rows={8}>
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
  const [isFirstRun, setIsFirstRun] = useState(() => !hasPublished(overview));
  if (isFirstRun) return <FirstRun overview={overview} onLeave={() => setIsFirstRun(false)} />;
  return <OwnerOverview overview={overview} />;
};

const hasPublished = ({ networks }: Overview): boolean =>
  networks.some(({ last_published_at: publishedAt }) => publishedAt !== null);
