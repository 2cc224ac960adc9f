import { lazy, Suspense, useState } from 'react';
import { type Overview, useOverview } from '../../api/overview.js';
import { Loaded, Skeleton } from '../../components/states.js';
import { useScope } from '../../session/scope.js';
import { OwnerOverview } from './owner-overview.js';

const OperatorOverview = lazy(() => import('./operator-overview.js'));
const FirstRun = lazy(() => import('./first-run/first-run.js'));

/** The overview of an owner or of all owners; before an owner's first publication, the four steps to it. */
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

/** Shows the first run until the person leaves it, so that they see the first post where they sent it. */
const OwnOverview = ({ overview }: { readonly overview: Overview }) => {
  const [isFirstRun, setIsFirstRun] = useState(() => !hasPublished(overview));
  if (isFirstRun) return <FirstRun overview={overview} onLeave={() => setIsFirstRun(false)} />;
  return <OwnerOverview overview={overview} />;
};

const hasPublished = ({ networks }: Overview): boolean =>
  networks.some(({ last_published_at: publishedAt }) => publishedAt !== null);
