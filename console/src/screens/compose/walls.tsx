import { useState } from 'react';
import type { Api } from '../../api/management.js';
import { Select } from '../../components/controls.js';
import { Icon } from '../../components/icon.js';
import { useNow } from '../../time/server-clock.js';
import { wallMessages as w } from '../../walls/messages.js';
import { ownLimit } from '../../walls/own-limit.js';
import { emptyWall, type NetworkPreview, readWall } from '../../walls/read-wall.js';
import { WallCard } from '../../walls/wall-card.js';
import type { Change, PreviewedWall } from './find-changes.js';
import { composeMessages as m } from './messages.js';

/** A network's wall with its channels, and the changes on it. */
export interface NetworkWall extends PreviewedWall {
  readonly channels: readonly Api<'Channel'>[];
  readonly changes: readonly Change[];
  /** Returns the preview of a channel, which may have its own content. */
  readonly previewOf: (channelId: string) => NetworkPreview;
}

/** One wall for each network that receives the post. On phones, users swipe between the walls. */
export const Walls = ({
  walls,
  isStale,
  at,
}: {
  readonly walls: readonly NetworkWall[];
  readonly isStale: boolean;
  /** When the post will be published, in ms since 1970; null for now. */
  readonly at: number | null;
}) => {
  const now = useNow(60_000);
  return (
    <div className="compose-walls">
      {walls.map((each) => (
        <OneWall key={each.wall.platform} {...each} isStale={isStale} at={at ?? now} />
      ))}
    </div>
  );
};

const OneWall = ({
  previewOf,
  wall: first,
  channels,
  changes,
  isStale,
  at,
}: NetworkWall & { readonly isStale: boolean; readonly at: number }) => {
  const [chosen, setChosen] = useState<string | null>(null);
  const channel = channels.find(({ id }) => id === chosen) ?? channels[0]!;
  const wall =
    channel === channels[0] ? first : readWall(first.platform, previewOf(channel.id), channel.id, ownLimit(channel));
  const seen = changes.filter(({ channelId }) => channelId === undefined || channelId === channel.id);
  return (
    <WallCard
      wall={wall}
      channel={channel}
      at={at}
      isStale={isStale}
      aside={
        channels.length > 1 && (
          <Select
            className="wall-channel"
            aria-label={m.channelOfPreview}
            value={channel.id}
            onChange={(event) => setChosen(event.target.value)}
          >
            {channels.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )
      }
    >
      <div className={`degradations ${seen.length === 0 ? 'tone-ok' : 'tone-warn'}`}>
        {seen.length === 0 ? (
          <span>
            <Icon name="check" size={12} /> {w.asWritten}
          </span>
        ) : (
          seen.map(({ tag }, index) => (
            <span key={index}>
              <Icon name="onHold" size={12} /> {tag}
            </span>
          ))
        )}
      </div>
    </WallCard>
  );
};

/** Empty walls, shown until there is a preview. */
export const EmptyWalls = ({ channels }: { readonly channels: readonly Api<'Channel'>[] }) => {
  const now = useNow(60_000);
  const platforms = [...new Set(channels.map(({ platform }) => platform))];
  return (
    <div className="compose-walls">
      {platforms.map((platform) => (
        <WallCard
          key={platform}
          wall={emptyWall(platform)}
          channel={channels.find((channel) => channel.platform === platform)!}
          at={now}
          hint={m.yourText}
        />
      ))}
    </div>
  );
};
