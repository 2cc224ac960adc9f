import { useState } from 'react';
import type { Api } from '../../api/management.js';
import { Select } from '../../components/controls.js';
import { Icon } from '../../components/icon.js';
import { useMessages } from '../../i18n/messages.js';
import { useNow } from '../../time/server-clock.js';
import { emptyWall, readWall } from '../../walls/read-wall.js';
import { WallCard } from '../../walls/wall-card.js';
import { wallMessages } from '../../walls/messages.js';
import type { Change, PreviewedWall } from './find-changes.js';
import { composeMessages } from './messages.js';

/** A network's wall with the channels that it is of, and what changes on it. */
export interface NetworkWall extends PreviewedWall {
  readonly channels: readonly Api<'Channel'>[];
  readonly changes: readonly Change[];
}

/** One wall for each network that the post goes to. Phones swipe between them. */
export const Walls = ({ walls, isStale }: { readonly walls: readonly NetworkWall[]; readonly isStale: boolean }) => {
  const now = useNow(60_000);
  return (
    <div className="compose-walls">
      {walls.map((each) => (
        <OneWall key={each.wall.platform} {...each} isStale={isStale} at={now} />
      ))}
    </div>
  );
};

const OneWall = ({
  preview,
  wall: first,
  channels,
  changes,
  isStale,
  at,
}: NetworkWall & { readonly isStale: boolean; readonly at: number }) => {
  const m = useMessages(composeMessages);
  const w = useMessages(wallMessages);
  const [chosen, setChosen] = useState<string | null>(null);
  const channel = channels.find(({ id }) => id === chosen) ?? channels[0]!;
  const wall = channel === channels[0] ? first : readWall(first.platform, preview, channel.id, ownLimit(channel));
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

/** Returns the limit of texts in a channel's settings, which Odnoklassniki's have; null without one. */
export const ownLimit = (channel: Api<'Channel'>): number | null => {
  const { text_limit: limit } = channel.settings as { readonly text_limit?: unknown };
  return typeof limit === 'number' ? limit : null;
};

/** Stand in place of the walls until there is something to show. */
export const EmptyWalls = ({ channels }: { readonly channels: readonly Api<'Channel'>[] }) => {
  const m = useMessages(composeMessages);
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
