import { Link } from '@tanstack/react-router';
import type { Api } from '../../../api/management.js';
import { useNames } from '../../../api/things.js';
import { Button, ExternalLink } from '../../../components/button.js';
import { NetworkMark } from '../../../components/icon.js';
import { networkTitle } from '../../../components/networks.js';
import { shownState, StatePill } from '../../../publications/states.js';
import { WaitingReason, WaitingTime } from '../../../publications/waiting.js';
import { firstRunMessages } from './messages.js';

/** The state of a post in each of its channels, with links to the published messages. */
export const PostProgress = ({ post, onLeave }: { readonly post: Api<'Post'>; readonly onLeave: () => void }) => {
  const { post: m } = firstRunMessages;
  const names = useNames();
  const isSettled = post.publications.some(({ state }) => state !== 'queued' && state !== 'publishing');
  return (
    <div className="post-progress" role="status">
      <ul>
        {post.publications.map((publication) => {
          const [url] = publication.urls;
          const { id, state, platform, target_id: channelId } = publication;
          return (
            <li key={id}>
              <NetworkMark platform={platform} />
              <bdi className="cut">{names.channel(channelId)?.name ?? networkTitle(platform)}</bdi>
              <StatePill state={shownState(publication)} />
              {state === 'queued' && (
                <span className="secondary">
                  <WaitingReason publication={publication} names={names} /> <WaitingTime publication={publication} />
                </span>
              )}
              {url !== undefined && (
                <ExternalLink href={url}>{m.onNetwork.replace('{network}', networkTitle(platform))}</ExternalLink>
              )}
              {(state === 'failed' || state === 'in_doubt' || state === 'queued') && (
                <Link className="link" to="/publications/$id" params={{ id }}>
                  {m.why}
                </Link>
              )}
            </li>
          );
        })}
      </ul>
      {isSettled && (
        <Button look="primary" onClick={onLeave}>
          {m.overview}
        </Button>
      )}
    </div>
  );
};
