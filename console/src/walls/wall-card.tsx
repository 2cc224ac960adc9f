import './wall-card.css';
import { lazy, type ReactNode, Suspense } from 'react';
import { Card } from '../components/card.js';
import { NetworkMark, networkTitle } from '../components/icon.js';
import { Skeleton } from '../components/states.js';
import { format, type Instant } from '../i18n/format.js';
import { type Wall, wallMessages as m } from './read-wall.js';

// A post can be written before its previews are there.
const WallPosts = lazy(async () => ({ default: (await import('./wall-posts.js')).WallPosts }));

interface WallCardProps {
  readonly wall: Wall;
  readonly channel: { readonly id: string; readonly name: string };
  /** Time of the post. */
  readonly at: Instant;
  /** True if the wall does not reflect the latest text yet; it is then dimmed. */
  readonly isStale?: boolean;
  /** Shown after the network's name, such as a choice of channels. */
  readonly aside?: ReactNode;
  /** Shown if the wall is empty; by default, a note that nothing would be published. */
  readonly hint?: string;
  /** Shown below the wall, such as what the network changes. */
  readonly children?: ReactNode;
}

/** Shows what readers of a channel would see, and how long the text is compared with the network's limit. */
export const WallCard = ({ wall, channel, at, isStale = false, aside, hint, children }: WallCardProps) => {
  const { platform, length, limit } = wall;
  return (
    <Card
      className={`wall-card ${isStale ? 'stale' : ''}`}
      title={
        <span className="row">
          <NetworkMark platform={platform} label={false} />
          {networkTitle(platform)}
        </span>
      }
      aside={
        <>
          {aside}
          {limit !== null && (
            <span title={m.length(format.number(length), format.number(limit))}>
              {format.number(length)} / {format.number(limit)}
            </span>
          )}
        </>
      }
    >
      <Suspense fallback={<Skeleton rows={3} />}>
        <WallPosts wall={wall} channel={channel} at={at} hint={hint ?? m.nothing} isStale={isStale} />
      </Suspense>
      {children}
    </Card>
  );
};
