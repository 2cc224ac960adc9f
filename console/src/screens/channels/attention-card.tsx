import type { Api } from '../../api/management.js';
import { channelUrl } from '../../channel-form/networks.js';
import type { Channel } from '../../channels/channel-state.js';
import { RetryButton } from '../../channels/retry-button.js';
import { AdviceText } from '../../components/advice.js';
import { Button, ExternalLink } from '../../components/button.js';
import { Icon, networkTitle } from '../../components/icon.js';
import { Age } from '../../components/time.js';
import { useHeldPosts } from '../../pauses/held-posts.js';
import { channelMessages as m } from './channel-messages.js';

/** The problem that holds up a channel's posts: the network's message, how to fix it, and buttons to do so. */
export const AttentionCard = ({
  channel,
  attention,
  onReplace,
}: {
  readonly channel: Channel;
  readonly attention: Api<'Attention'>;
  readonly onReplace: () => void;
}) => {
  const held = useHeldPosts(channel.id);
  const { platform, address } = channel;
  const url = channelUrl(platform, address);
  const network = networkTitle(platform);
  const codes = attention.actions.map(({ code }) => code);
  const buttons = codes.filter((code) => code !== 'fix_on_platform');
  return (
    <section className="card channel-hold" aria-labelledby="channel-hold">
      <Icon name="onHold" tone="warn" size={20} />
      <div>
        <h2 id="channel-hold">
          {attention.code.startsWith('credentials_') ? m.credentialsGone : m.refusedSince(network)}{' '}
          <Age since={attention.since} />
        </h2>
        <p>
          <AdviceText message={attention.message} />
        </p>
        {attention.platform_says !== null && (
          <p className="secondary">
            {m.says(network)} “<bdi>{attention.platform_says}</bdi>”
          </p>
        )}
        <h3>{m.howToFix}</h3>
        <ol className="hold-steps">
          {attention.actions
            .filter(({ code }) => code !== 'fix_on_platform')
            .map(({ code, message }) => (
              <li key={code}>
                <Icon name="chevronRight" size={14} tone="time" />
                <span>
                  {code === 'retry' ? m.fixThenRetry(network) : code === 'replace_credentials' ? m.orReplace : message}
                </span>
              </li>
            ))}
        </ol>
        <p className="secondary">{held && held.count > 0 ? m.heldMeanwhile(held.count, held.isMore) : m.holdsNew}</p>
        <div className="row hold-actions">
          {buttons.map((code, index) =>
            code === 'retry' ? (
              <RetryButton key={code} channel={channel} isPrimary={index === 0} />
            ) : (
              <Button key={code} icon="key" look={index === 0 ? 'primary' : 'plain'} onClick={onReplace}>
                {m.newCredentials}
              </Button>
            ),
          )}
          {url !== null && codes.includes('fix_on_platform') && (
            <ExternalLink href={url} look="plain">
              {m.openOn(network)}
            </ExternalLink>
          )}
        </div>
      </div>
    </section>
  );
};
