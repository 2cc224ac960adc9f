import { channel as channelDecider } from '../../domain/channel/channel.decider.js';
import type { ChannelNeedsAttention } from '../../domain/channel/channel.events.js';
import { endpoint as endpointDecider } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointDisabled } from '../../domain/endpoint/endpoint.events.js';
import { notice } from '../../domain/notice/notice.decider.js';
import type { NoticeRaised } from '../../domain/notice/notice.events.js';
import type { PublicationFailed, PublicationInDoubt } from '../../domain/publication/publication.events.js';
import { nothingYet, type Streams } from '../../event-store/aggregate-store.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { derivedId } from '../../kernel/ids.js';
import { iso } from '../../kernel/instant.js';
import type { Reaction } from '../engine/event-saga.js';

type Trigger = PublicationInDoubt | PublicationFailed | ChannelNeedsAttention | EndpointDisabled;

/** What a notice says, and to whom. */
type Told = Pick<NoticeRaised['data'], 'ownerId' | 'kind' | 'subject' | 'text'>;

const NAME = 'raise-notices';

/**
 * Turns what an owner has to know into notices (publish-api.md: Endpoint and pause states; D-25, D-26): a publication in doubt or
 * failed for good, a channel whose credentials are refused, an endpoint that was switched off by anyone but its owner.
 * One notice an event, however often the event comes; whoever delivers them follows `NoticeRaised`.
 */
export const raiseNotices = (streams: Streams): Reaction<Trigger> => ({
  name: NAME,
  types: ['PublicationInDoubt', 'PublicationFailed', 'ChannelNeedsAttention', 'EndpointDisabled'],
  startsAt: 'beginning',

  async react(event) {
    const told = await tell(streams, event);
    if (!told) return;
    const noticeId = derivedId('ntc', event.id);
    const { id: causationId, correlationId, requestId, at } = event;
    const origin = { actor: `system:${NAME}`, requestId, causationId, correlationId };
    const command = { type: 'RaiseNotice', noticeId, ...told, at } as const;
    await streams.run(
      notice,
      noticeId,
      command,
      { ...origin, commandId: `${NAME}/${causationId}`, at },
      nothingYet(notice),
    );
  },
});

/** Null where there is nothing to tell. */
const tell = async (streams: Streams, event: RecordedEventOf<Trigger>): Promise<Told | null> => {
  if (event.type === 'EndpointDisabled') return tellOfEndpoint(streams, event.data);
  const { channelId } = event.data;
  const { state: channel } = await streams.load(channelDecider, channelId);
  if (!channel) return null;
  const { ownerId, name, platform } = channel;
  const where = `"${name}" (${platform})`;
  switch (event.type) {
    case 'ChannelNeedsAttention': {
      const { attention, until } = event.data;
      const hold = `What waits for it is held until ${iso(until)}, or until you set new credentials.`;
      const text = `The channel ${where} needs attention. ${attention.message} ${hold}`;
      return { ownerId, kind: 'channel.needs_attention', subject: { channelId }, text };
    }
    case 'PublicationFailed': {
      const { postId, publicationId, error } = event.data;
      const text = `The post ${postId} was not published on ${where}. ${error.message} It may be sent again or dismissed.`;
      return { ownerId, kind: 'publication.failed', subject: { channelId, postId, publicationId }, text };
    }
    case 'PublicationInDoubt': {
      const { postId, publicationId, error } = event.data;
      const text = `Nobody can say whether the post ${postId} is on ${where}. ${error.message} Look there, then send it again or dismiss it.`;
      return { ownerId, kind: 'publication.in_doubt', subject: { channelId, postId, publicationId }, text };
    }
  }
};

/** An owner who switches an endpoint off knows of it. */
const tellOfEndpoint = async (
  streams: Streams,
  { endpointId, by, reason }: EndpointDisabled['data'],
): Promise<Told | null> => {
  if (by === 'owner') return null;
  const { state: endpoint } = await streams.load(endpointDecider, endpointId);
  if (!endpoint) return null;
  const name =
    endpoint.settings.name === null ? `The endpoint ${endpointId}` : `The endpoint "${endpoint.settings.name}"`;
  const text = `${name} was switched off: ${reason}. It does not come back by itself: enable it when the cause is gone.`;
  return { ownerId: endpoint.ownerId, kind: 'endpoint.disabled', subject: { endpointId }, text };
};
