import { RaiseNotice, RaiseNoticeHandler } from '../../commands/notice/raise-notice.js';
import { channel as channelDecider } from '../../domain/channel/channel.decider.js';
import type { ChannelNeedsAttention } from '../../domain/channel/channel.events.js';
import { endpoint as endpointDecider } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointDisabled } from '../../domain/endpoint/endpoint.events.js';
import { owner as ownerDecider } from '../../domain/owner/owner.decider.js';
import type { NoticeRaised } from '../../domain/notice/notice.events.js';
import type { PublicationFailed, PublicationInDoubt } from '../../domain/publication/publication.events.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import type { WebhookOutputDisabled } from '../../domain/webhook-output/webhook-output.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { deriveId } from '../../kernel/ids.js';
import { iso } from '../../kernel/instant.js';
import type { Reaction } from '../engine/event-saga.js';
import type { NOTICES_EN } from './messages.js';
import { noticesIn } from './notices-in.js';
import { asSentence } from '../../kernel/message.js';

type Trigger =
  PublicationInDoubt | PublicationFailed | ChannelNeedsAttention | EndpointDisabled | WebhookOutputDisabled;

/** The content of a notice, and the owner it goes to. */
type NoticeContent = Pick<NoticeRaised['data'], 'ownerId' | 'kind' | 'subject' | 'text'>;

const NAME = 'raise-notices';

/**
 * Raises notices about events that an owner has to know (publish-api.md: Endpoint and pause states; D-25, D-26): a
 * publication in doubt or failed for good, a channel that cannot post, an endpoint that was disabled by
 * anyone but its owner. One notice per event, however often the event is delivered; deliveries follow `NoticeRaised`.
 */
export const raiseNotices = (
  aggregates: AggregateStore,
  raiseNotice = new RaiseNoticeHandler(aggregates),
): Reaction<Trigger> => ({
  name: NAME,
  types: [
    'PublicationInDoubt',
    'PublicationFailed',
    'ChannelNeedsAttention',
    'EndpointDisabled',
    'WebhookOutputDisabled',
  ],
  startsAt: 'beginning',

  async react(event) {
    const content = await describeEvent(aggregates, event);
    if (!content) return;
    const noticeId = deriveId('ntc', event.id);
    const { id: causationId, correlationId, requestId, at } = event;
    const origin = { actor: `system:${NAME}`, requestId, causationId, correlationId, clientAddress: null };
    const context = { ...origin, commandId: `${NAME}/${causationId}`, at };
    await raiseNotice.execute(new RaiseNotice(context, { noticeId, ...content, at }));
  },
});

/** Returns null if the owner need not be informed. */
const describeEvent = async (
  aggregates: AggregateStore,
  event: RecordedEventOf<Trigger>,
): Promise<NoticeContent | null> => {
  if (event.type === 'EndpointDisabled') return describeDisabledEndpoint(aggregates, event.data);
  if (event.type === 'WebhookOutputDisabled') return describeDisabledOutput(aggregates, event.data);
  const { channelId } = event.data;
  const { state: channel } = await aggregates.loadAggregate(channelDecider, channelId);
  if (!channel) return null;
  const { ownerId, name, platform } = channel;
  const say = await loadMessages(aggregates, ownerId);
  const where = `"${name}" (${platform})`;
  switch (event.type) {
    case 'ChannelNeedsAttention': {
      const { attention, until } = event.data;
      const error = asSentence(attention.message);
      const text = say.channelNeedsAttention({ channel: where, error, until: iso(until) });
      return { ownerId, kind: 'channel.needs_attention', subject: { channelId }, text };
    }
    case 'PublicationFailed': {
      const { postId, publicationId, error } = event.data;
      const text = say.publicationFailed({
        post: postId,
        channel: where,
        error: asSentence(error.message),
      });
      return { ownerId, kind: 'publication.failed', subject: { channelId, postId, publicationId }, text };
    }
    case 'PublicationInDoubt': {
      const { postId, publicationId, error } = event.data;
      const text = say.publicationInDoubt({
        post: postId,
        channel: where,
        error: asSentence(error.message),
      });
      return { ownerId, kind: 'publication.in_doubt', subject: { channelId, postId, publicationId }, text };
    }
  }
};

/** Returns the sentences in the owner's language. */
const loadMessages = async (aggregates: AggregateStore, ownerId: string): Promise<typeof NOTICES_EN> => {
  const { state } = await aggregates.loadAggregate(ownerDecider, ownerId);
  return noticesIn(state?.locale);
};

/** Returns null if the owner switched the endpoint off. */
const describeDisabledEndpoint = async (
  aggregates: AggregateStore,
  { endpointId, by, reason }: EndpointDisabled['data'],
): Promise<NoticeContent | null> => {
  if (by === 'owner') return null;
  const { state: endpoint } = await aggregates.loadAggregate(endpointDecider, endpointId);
  if (!endpoint) return null;
  const say = await loadMessages(aggregates, endpoint.ownerId);
  const name =
    endpoint.settings.name === null
      ? say.endpointById({ id: endpointId })
      : say.endpointByName({ name: endpoint.settings.name });
  const text = say.endpointDisabled({ endpoint: name, reason });
  return { ownerId: endpoint.ownerId, kind: 'endpoint.disabled', subject: { endpointId }, text };
};

/** Returns null if the owner disabled the webhook output. */
const describeDisabledOutput = async (
  aggregates: AggregateStore,
  { outputId, by, reason }: WebhookOutputDisabled['data'],
): Promise<NoticeContent | null> => {
  if (by === 'owner') return null;
  const { state: output } = await aggregates.loadAggregate(webhookOutput, outputId);
  if (!output) return null;
  const say = await loadMessages(aggregates, output.ownerId);
  const text = say.outputDisabled({ url: output.url, reason });
  return { ownerId: output.ownerId, kind: 'webhook_output.disabled', subject: { outputId }, text };
};
