import type { Api } from '../../api/management.js';
import { Icon } from '../../components/icon.js';
import { useMessages } from '../../i18n/messages.js';
import { useNow } from '../../time/server-clock.js';
import { emptyWall } from '../../walls/read-wall.js';
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
  wall,
  channels,
  changes,
  isStale,
  at,
}: NetworkWall & { readonly isStale: boolean; readonly at: number }) => {
  const m = useMessages(wallMessages);
  const [channel] = channels;
  return (
    <WallCard wall={wall} channel={channel ?? { id: '', name: '' }} at={at} isStale={isStale}>
      <div className={`degradations ${changes.length === 0 ? 'tone-ok' : 'tone-warn'}`}>
        {changes.length === 0 ? (
          <span>
            <Icon name="check" size={12} /> {m.asWritten}
          </span>
        ) : (
          changes.map(({ tag }, index) => (
            <span key={index}>
              <Icon name="onHold" size={12} /> {tag}
            </span>
          ))
        )}
      </div>
    </WallCard>
  );
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
