import { ScheduleDelivery, ScheduleDeliveryHandler } from '../../commands/delivery/schedule-delivery.js';
import { channel as channelDecider, type ChannelState } from '../../domain/channel/channel.decider.js';
import type { ChannelNeedsAttention } from '../../domain/channel/channel.events.js';
import { endpoint as endpointDecider } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointDisabled } from '../../domain/endpoint/endpoint.events.js';
import { project as projectDecider } from '../../domain/project/project.decider.js';
import type { Target } from '../../domain/post/post.events.js';
import {
  publication as publicationDecider,
  type PublicationState,
  type PublicationStatus,
} from '../../domain/publication/publication.decider.js';
import type {
  PublicationDismissed,
  PublicationFailed,
  PublicationFiltered,
  PublicationInDoubt,
  PublicationSucceeded,
} from '../../domain/publication/publication.events.js';
import type { WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import { type AggregateStore, emptyAggregate, type LoadedAggregate } from '../../event-store/aggregate-store.js';
import { isDamaged } from '../../event-store/codec.js';
import type { Origin, RecordedEventOf } from '../../kernel/events.js';
import { deriveTimedId } from '../../kernel/ids.js';
import { type Instant, iso } from '../../kernel/instant.js';
import type { JsonObject } from '../../kernel/json.js';
import { isRejection } from '../../kernel/result.js';
import { toTextHtml } from '../../payload/text-html.js';
import type { ProjectOutput, ProjectOutputs } from '../../projections/discovery/project-outputs.queries.js';
import type { References } from '../../projections/discovery/references.queries.js';
import type { ProjectionProgress } from '../../projections/engine/progress.js';
import { type PostPayloads, type PostWithPayload, UnreadablePost } from '../../projections/posts/post-payloads.js';
import type { PostPlaces } from '../../projections/posts/post-place.queries.js';
import type { Reaction } from '../engine/event-saga.js';
import type { PublishedTexts } from './published-text.js';

type PublicationOutcome =
  PublicationSucceeded | PublicationFailed | PublicationInDoubt | PublicationFiltered | PublicationDismissed;
type Trigger = PublicationOutcome | EndpointDisabled | ChannelNeedsAttention;

/** Dependencies of {@link scheduleDeliveries}. */
export interface ScheduleDeliveriesDependencies {
  readonly aggregates: AggregateStore;
  readonly outputs: ProjectOutputs;
  readonly references: References;
  readonly places: PostPlaces;
  readonly payloads: PostPayloads;
  readonly texts: PublishedTexts;
  readonly progress: ProjectionProgress;
}

const NAME = 'schedule-deliveries';

/** Statuses that end a publication, unless a person decides otherwise (D-29: `post.completed`). */
const OVER: ReadonlySet<PublicationStatus> = new Set(['published', 'failed', 'filtered', 'dismissed']);

/** The kinds that an outcome of a publication may lead to. */
const KINDS_OF: Readonly<Record<PublicationOutcome['type'], readonly WebhookKind[]>> = {
  PublicationSucceeded: ['post.published', 'publication.succeeded', 'post.completed'],
  PublicationFailed: ['publication.failed', 'post.completed'],
  PublicationInDoubt: ['publication.in_doubt'],
  PublicationFiltered: ['post.completed'],
  PublicationDismissed: ['post.completed'],
};

/**
 * Schedules the deliveries that follow from an event, one for each webhook output that wants it (D-29). The id of a delivery
 * follows from the output and the event, or from the post where it is sent once per post: a repeated event schedules nothing twice. The
 * deliveries of an output are in the order of events.
 */
export const scheduleDeliveries = (deps: ScheduleDeliveriesDependencies): Reaction<Trigger> => {
  const scheduler = new DeliveryScheduler(deps);
  return {
    name: NAME,
    types: [
      ...(['PublicationSucceeded', 'PublicationFailed', 'PublicationInDoubt', 'PublicationFiltered'] as const),
      ...(['PublicationDismissed', 'EndpointDisabled', 'ChannelNeedsAttention'] as const),
    ],
    startsAt: 'now',

    async react(event, signal) {
      // The outputs must be those of the event's time, or later.
      await deps.progress.requireUpTo('discovery', event.position);
      if (await deps.outputs.existsAny()) await scheduler.schedule(event, signal);
    },
  };
};

class DeliveryScheduler {
  private readonly handler: ScheduleDeliveryHandler;

  constructor(private readonly deps: ScheduleDeliveriesDependencies) {
    this.handler = new ScheduleDeliveryHandler(deps.aggregates);
  }

  schedule(event: RecordedEventOf<Trigger>, signal: AbortSignal): Promise<void> {
    switch (event.type) {
      case 'EndpointDisabled':
        return this.scheduleEndpointDisabled(event);
      case 'ChannelNeedsAttention':
        return this.scheduleNeedsAttention(event);
      default:
        return this.scheduleOutcome(event, signal);
    }
  }

  private async scheduleEndpointDisabled(event: RecordedEventOf<EndpointDisabled>): Promise<void> {
    const { endpointId, by, reason } = event.data;
    const { state } = await this.deps.aggregates.loadAggregate(endpointDecider, endpointId);
    if (!state) return;
    const outputs = await this.deps.outputs.findWanting(state.settings.projectIds, ['endpoint.disabled']);
    const endpoint = { id: endpointId, name: state.settings.name, disabled_by: by };
    await this.deliver(outputs, 'endpoint.disabled', { endpoint, reason }, event, { name: event.id, at: event.at });
  }

  private async scheduleNeedsAttention(event: RecordedEventOf<ChannelNeedsAttention>): Promise<void> {
    const { channelId, attention } = event.data;
    const projectIds = await this.deps.references.findProjectsNaming(channelId);
    const outputs = await this.deps.outputs.findWanting(projectIds, ['channel.needs_attention']);
    if (outputs.length === 0) return;
    const { state } = await this.deps.aggregates.loadAggregate(channelDecider, channelId);
    if (!state) return;
    const channel = { id: channelId, name: state.name, platform: state.platform };
    const body = { channel, reason: attention.message, code: attention.code };
    await this.deliver(outputs, 'channel.needs_attention', body, event, { name: event.id, at: event.at });
  }

  private async scheduleOutcome(event: RecordedEventOf<PublicationOutcome>, signal: AbortSignal): Promise<void> {
    const { postId, publicationId, channelId } = event.data;
    const post = await this.readPost(event);
    const target = post?.event.data.targets.find((each) => each.publicationId === publicationId);
    if (!post || !target) return;
    const { projectId } = target;
    const kinds = KINDS_OF[event.type];
    const outputs = await this.deps.outputs.findWanting([projectId], kinds);
    if (outputs.length === 0) return;
    const wanting = (kind: WebhookKind) => outputs.filter((output) => output.kinds.includes(kind));
    const { aggregates } = this.deps;
    const [{ state: channel }, { state: project }] = await Promise.all([
      aggregates.loadAggregate(channelDecider, channelId),
      aggregates.loadAggregate(projectDecider, projectId),
    ]);
    const places = {
      project: { id: projectId, name: project?.name ?? null },
      target: { id: channelId, platform: target.platform, name: channel?.name ?? null },
    };
    const once = { name: event.id, at: event.at };
    // The id of what is sent once per post must not depend on the publication that caused it.
    const perPost = { name: postId, at: post.event.data.acceptedAt };
    const ids = { post_id: postId, publication_id: publicationId };

    const published = wanting('post.published');
    if (event.type === 'PublicationSucceeded' && published.length > 0) {
      const body = await this.describePost(event, post, target, channel, signal);
      const { acceptedAt: _, ...content } = body;
      await this.deliver(published, 'post.published', { ...ids, ...places, ...content }, event, perPost);
    }
    const kind = kinds.find((each) => each.startsWith('publication.'));
    if (kind) {
      const error = 'error' in event.data ? { error: event.data.error as unknown as JsonObject } : {};
      const result =
        event.type === 'PublicationSucceeded' ? { message_ids: event.data.messageIds, urls: event.data.urls } : {};
      await this.deliver(wanting(kind), kind, { ...ids, ...places, ...result, ...error }, event, once);
    }
    const completing = wanting('post.completed');
    if (kinds.includes('post.completed') && completing.length > 0) {
      const listed = await this.listPublications(post, projectId);
      // An outcome that follows this event is delivered first (D-30), and completes the post.
      if (listed.every(({ publication, position }) => OVER.has(publication.state) && position <= event.position)) {
        const publications = listed.map(({ publication }) => publication);
        const body = { post_id: postId, project: places.project, publications };
        await this.deliver(completing, 'post.completed', body, event, perPost);
      }
    }
  }

  /** Returns null if the post cannot be read: nothing can be said about it. */
  private async readPost({ data, position }: RecordedEventOf<PublicationOutcome>): Promise<PostWithPayload | null> {
    const { places, payloads, progress } = this.deps;
    await progress.requireUpTo('posts', position);
    const place = await places.find(data.postId);
    if (!place) return null;
    try {
      return await payloads.readPost(place.stream, place.revision);
    } catch (error) {
      if (error instanceof UnreadablePost) return null;
      throw error;
    }
  }

  /** Describes a post in the format in which it was sent, with its text as it was published on the target (D-29). */
  private async describePost(
    event: RecordedEventOf<PublicationSucceeded>,
    { event: accepted, payload }: PostWithPayload,
    { projectId, platform }: Target,
    channel: ChannelState,
    signal: AbortSignal,
  ) {
    const { postId, publicationId, channelId, at, messageIds, urls } = event.data;
    const { projectRevision } = (await this.readPublication(publicationId)).state;
    const address = channel?.address ?? {};
    const post = { postId, payload, projectId, projectRevision, channelId, platform, address };
    const { text, entities } = await this.deps.texts.read(post, originOf(event), signal);
    return {
      acceptedAt: accepted.data.acceptedAt,
      published_at: iso(at),
      text,
      entities: entities as unknown as JsonObject[],
      text_html: toTextHtml({ text, entities }),
      media: (payload.media ?? []) as unknown as JsonObject[],
      buttons: (payload.buttons ?? []) as unknown as JsonObject[][],
      is_advertisement: payload.is_advertisement ?? false,
      metadata: payload.metadata ?? null,
      external_id: payload.external_id ?? null,
      trace_id: payload.trace_id ?? null,
      message_ids: messageIds,
      urls,
    };
  }

  /** Lists the post's publications of a project as they are now, each with the position of its last event, in the order of D-57. */
  private listPublications({ event }: PostWithPayload, projectId: string) {
    const own = event.data.targets.filter((target) => target.projectId === projectId);
    return Promise.all(
      own.map(async ({ publicationId, channelId, platform }) => {
        const { state, position } = await this.readPublication(publicationId);
        const { status, messageIds, urls } = state;
        const target = { id: channelId, platform };
        return { publication: { id: publicationId, target, state: status, message_ids: messageIds, urls }, position };
      }),
    );
  }

  /** Reads a publication as it is now. One whose events are damaged is in doubt (ADR-111). */
  private async readPublication(publicationId: string): Promise<LoadedAggregate<PublicationState>> {
    try {
      return await this.deps.aggregates.loadAggregate(publicationDecider, publicationId);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      return emptyAggregate({ initial: { ...publicationDecider.initial, status: 'in_doubt' as const } });
    }
  }

  /** @param subject names the subject of the delivery, with the time for the ids */
  private async deliver(
    outputs: readonly ProjectOutput[],
    kind: WebhookKind,
    content: JsonObject,
    event: RecordedEventOf<Trigger>,
    subject: { readonly name: string; readonly at: Instant },
  ): Promise<void> {
    const body = JSON.stringify({ kind, ...content });
    const origin = originOf(event);
    await Promise.all(
      outputs.map(async ({ outputId, ownerId }) => {
        const deliveryId = deriveTimedId('dlv', `${outputId}/${kind}/${subject.name}`, subject.at);
        const context = { ...origin, commandId: `schedule/${deliveryId}`, at: event.at };
        const data = { deliveryId, outputId, ownerId, kind, body, at: event.at };
        const outcome = await this.handler.execute(new ScheduleDelivery(context, data));
        if (isRejection(outcome)) throw new Error(`failed to schedule a delivery: ${outcome.message}`);
      }),
    );
  }
}

const originOf = ({ id, requestId, correlationId }: RecordedEventOf<Trigger>): Origin => ({
  ...{ actor: `system:${NAME}`, requestId, causationId: id, correlationId, clientAddress: null },
});
