import { Injectable } from '@nestjs/common';
import { channel as channelDecider, type ChannelState } from '../../domain/channel/channel.decider.js';
import type { ChannelNeedsAttention } from '../../domain/channel/channel.events.js';
import { endpoint as endpointDecider } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointDisabled } from '../../domain/endpoint/endpoint.events.js';
import {
  listReleased,
  type PlannedPublicationsCancelled,
  type PostApprovalRequested,
  type PostRejected,
  type PostReleased,
  type Target,
} from '../../domain/post/post.events.js';
import { project as projectDecider } from '../../domain/project/project.decider.js';
import type {
  PublicationDismissed,
  PublicationEdited,
  PublicationEditFailed,
  PublicationFailed,
  PublicationFiltered,
  PublicationInDoubt,
  PublicationSucceeded,
  PublicationWithdrawalDropped,
  PublicationWithdrawalFailed,
  PublicationWithdrawn,
} from '../../domain/publication/publication.events.js';
import type { WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { BEGINNING, type Position } from '../../event-store/port.js';
import { iso, isoOrNull } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import { toTextHtml } from '../../payload/markup.js';
import { contentFor } from '../../payload/overrides.js';
import { toWebhookMedium } from '../../payload/uploads.js';
import { ProjectOutputs } from '../../projections/discovery/discovery.queries.js';
import { References } from '../../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { PostPlaces } from '../../projections/posts/post-details.queries.js';
import { nullIfUnreadable, PostPayloads, type PostWithPayload } from '../../projections/posts/post-payloads.js';
import { LocatedPosts } from '../../uploads/located-posts.js';
import { causedBy, FollowsLog } from '../engine/event-saga.js';
import { DeliveryFanOut, NAME } from './fan-out.js';
import { describeCancelled, listPublications, OVER, readPublication } from './listed-publications.js';
import { PublishedTexts } from './published-texts.js';

/** Events that may end a planned post without a release; its publications then have no events. */
export type PostEnd = PostRejected | PlannedPublicationsCancelled;

/** Schedules deliveries for events that precede a post's release. */
@Injectable()
export class PlannedPostDeliveries {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly outputs: ProjectOutputs,
    private readonly payloads: PostPayloads,
    private readonly fanOut: DeliveryFanOut,
  ) {}

  /** Notifies the subscribed webhook outputs that a post is waiting for approval (D-62). */
  async scheduleApprovalNeeded(event: RecordedEventOf<PostApprovalRequested>): Promise<void> {
    const { postId, endpointId, publishAt } = event.data;
    const post = await this.payloads.readContentBefore(event).catch(nullIfUnreadable);
    if (!post) return;
    const outputs = await this.outputs.findWanting(listProjects(post), ['post.approval_needed']);
    if (outputs.length === 0) return;
    const { state } = await this.aggregates.loadAggregate(endpointDecider, endpointId);
    const endpoint = { id: endpointId, name: state?.settings.name ?? null };
    const text = post.payload.text ?? null;
    const body = { post_id: postId, endpoint, publish_at: isoOrNull(publishAt), text };
    await this.fanOut.deliver(outputs, 'post.approval_needed', body, event);
  }

  /** Schedules `post.completed` for the projects in which none of the post's publications was released. */
  async scheduleCompletion(event: RecordedEventOf<PostEnd | PostReleased>): Promise<void> {
    if (event.type !== 'PostReleased' && !event.data.isLast) return;
    const post = await this.payloads.readContentBefore(event).catch(nullIfUnreadable);
    if (!post) return;
    const { postId } = event.data;
    const released =
      event.type === 'PostReleased' ? listProjects({ targets: listReleased(event.data, post.targets) }) : [];
    const perPost = { name: postId, at: post.event.data.acceptedAt };
    for (const projectId of listProjects(post)) {
      if (released.includes(projectId)) continue;
      const outputs = await this.outputs.findWanting([projectId], ['post.completed']);
      if (outputs.length === 0) continue;
      const { state: project } = await this.aggregates.loadAggregate(projectDecider, projectId);
      const publications = post.targets.filter((target) => target.projectId === projectId).map(describeCancelled);
      const body = { post_id: postId, project: { id: projectId, name: project?.name ?? null }, publications };
      await this.fanOut.deliver(outputs, 'post.completed', body, event, perPost);
    }
  }
}

/** True if the release directly follows the event with the content, i.e. nothing was cancelled in between. */
export const wasReleasedWhole = ({ revision, data }: RecordedEventOf<PostReleased>): boolean =>
  revision === BigInt(data.contentRevision) + 1n;

const listProjects = ({ targets }: Pick<PostWithPayload, 'targets'>): string[] => [
  ...new Set(targets.map(({ projectId }) => projectId)),
];

type PublicationOutcome =
  | PublicationSucceeded
  | PublicationFailed
  | PublicationInDoubt
  | PublicationFiltered
  | PublicationDismissed
  | PublicationWithdrawn
  | PublicationWithdrawalFailed
  | PublicationWithdrawalDropped
  | PublicationEdited
  | PublicationEditFailed;
type Trigger =
  PublicationOutcome | PostEnd | PostReleased | PostApprovalRequested | EndpointDisabled | ChannelNeedsAttention;

/** Webhook event kinds that each publication outcome may trigger. */
const KINDS_OF: Readonly<Record<PublicationOutcome['type'], readonly WebhookKind[]>> = {
  PublicationSucceeded: ['post.published', 'publication.succeeded', 'post.completed'],
  PublicationFailed: ['publication.failed', 'post.completed'],
  PublicationInDoubt: ['publication.in_doubt'],
  PublicationFiltered: ['post.completed'],
  PublicationDismissed: ['post.completed'],
  PublicationWithdrawn: ['publication.withdrawn', 'post.completed'],
  PublicationWithdrawalFailed: ['publication.withdraw_failed', 'post.completed'],
  PublicationWithdrawalDropped: ['post.completed'],
  PublicationEdited: ['publication.edited'],
  PublicationEditFailed: ['publication.edit_failed'],
};

/**
 * Schedules a delivery of each event to every subscribed webhook output, in event order (D-29). A delivery's id derives
 * from the output and the event (or the post, for deliveries sent once per post), so a repeated event schedules nothing
 * twice.
 */
@FollowsLog<Trigger>({
  name: NAME,
  types: [
    'PublicationSucceeded',
    'PublicationFailed',
    'PublicationInDoubt',
    'PublicationFiltered',
    'PublicationDismissed',
    'PublicationWithdrawn',
    'PublicationWithdrawalFailed',
    'PublicationWithdrawalDropped',
    'PublicationEdited',
    'PublicationEditFailed',
    'PostRejected',
    'PlannedPublicationsCancelled',
    'PostReleased',
    'PostApprovalRequested',
    'EndpointDisabled',
    'ChannelNeedsAttention',
  ],
  startsAt: 'now',
  lanes: 'owner',
  needs: 'discovery',
})
export class ScheduleDeliveries {
  /** Position up to which no output was enabled when the read model was last asked. */
  private noOutputUpTo: Position = BEGINNING;

  constructor(
    private readonly aggregates: AggregateStore,
    private readonly outputs: ProjectOutputs,
    private readonly references: References,
    private readonly places: PostPlaces,
    private readonly payloads: PostPayloads,
    private readonly texts: PublishedTexts,
    private readonly progress: ProjectionProgress,
    private readonly planned: PlannedPostDeliveries,
    private readonly located: LocatedPosts,
    private readonly fanOut: DeliveryFanOut,
  ) {}

  async react(event: RecordedEventOf<Trigger>, signal: AbortSignal): Promise<void> {
    if (event.type === 'PostReleased' && wasReleasedWhole(event)) return; // true for nearly all posts
    if (await this.anyOutputMayWant(event)) await this.schedule(event, signal);
  }

  /** Most gateways have no outputs; then one query answers for all events that the read model already covers. */
  private async anyOutputMayWant({ position }: RecordedEventOf<Trigger>): Promise<boolean> {
    if (position <= this.noOutputUpTo) return false;
    // The read model must show all outputs that existed at the time of the event.
    await this.progress.requireUpTo('discovery', position);
    const shown = this.progress.positionOf('discovery');
    const exists = await this.outputs.existsAny();
    if (!exists) this.noOutputUpTo = shown;
    return exists;
  }

  private schedule(event: RecordedEventOf<Trigger>, signal: AbortSignal): Promise<void> {
    switch (event.type) {
      case 'EndpointDisabled':
        return this.scheduleEndpointDisabled(event);
      case 'ChannelNeedsAttention':
        return this.scheduleNeedsAttention(event);
      case 'PostApprovalRequested':
        return this.planned.scheduleApprovalNeeded(event);
      case 'PostRejected':
      case 'PlannedPublicationsCancelled':
      case 'PostReleased':
        return this.planned.scheduleCompletion(event);
      default:
        return this.scheduleOutcome(event, signal);
    }
  }

  private async scheduleEndpointDisabled(event: RecordedEventOf<EndpointDisabled>): Promise<void> {
    const { endpointId, by, reason } = event.data;
    const { state } = await this.aggregates.loadAggregate(endpointDecider, endpointId);
    if (!state) return;
    const outputs = await this.outputs.findWanting(state.settings.projectIds, ['endpoint.disabled']);
    const endpoint = { id: endpointId, name: state.settings.name, disabled_by: by };
    await this.fanOut.deliver(outputs, 'endpoint.disabled', { endpoint, reason }, event);
  }

  private async scheduleNeedsAttention(event: RecordedEventOf<ChannelNeedsAttention>): Promise<void> {
    const { channelId, attention } = event.data;
    const projectIds = await this.references.findProjectsNaming(channelId);
    const outputs = await this.outputs.findWanting(projectIds, ['channel.needs_attention']);
    if (outputs.length === 0) return;
    const { state } = await this.aggregates.loadAggregate(channelDecider, channelId);
    if (!state) return;
    const channel = { id: channelId, name: state.name, platform: state.platform };
    const { message: reason, code } = attention;
    await this.fanOut.deliver(outputs, 'channel.needs_attention', { channel, reason, code }, event);
  }

  private async scheduleOutcome(event: RecordedEventOf<PublicationOutcome>, signal: AbortSignal): Promise<void> {
    const { postId, publicationId, channelId } = event.data;
    const post = await this.readPost(event);
    const target = post?.targets.find((each) => each.publicationId === publicationId);
    if (!post || !target) return;
    const { projectId } = target;
    const kinds = KINDS_OF[event.type];
    const outputs = await this.outputs.findWanting([projectId], kinds);
    if (outputs.length === 0) return;
    const wanting = (kind: WebhookKind) => outputs.filter((output) => output.kinds.includes(kind));
    const { aggregates } = this;
    const [{ state: channel }, { state: project }] = await Promise.all([
      aggregates.loadAggregate(channelDecider, channelId),
      aggregates.loadAggregate(projectDecider, projectId),
    ]);
    const places = {
      project: { id: projectId, name: project?.name ?? null },
      target: { id: channelId, platform: target.platform, name: channel?.name ?? null },
    };
    // The id of a delivery sent once per post must not depend on the publication that caused it.
    const perPost = { name: postId, at: post.event.data.acceptedAt };
    const ids = { post_id: postId, publication_id: publicationId };

    const published = wanting('post.published');
    if (event.type === 'PublicationSucceeded' && published.length > 0) {
      const { at, messageIds: message_ids, urls } = event.data;
      const shown = await this.describeContent(event, post, target, channel, signal);
      const content = { published_at: iso(at), ...shown.content, ...shown.rest, message_ids, urls };
      await this.fanOut.deliver(published, 'post.published', { ...ids, ...places, ...content }, event, perPost);
    }
    const kind = kinds.find((each) => each.startsWith('publication.'));
    if (kind) {
      const error = 'error' in event.data ? { error: event.data.error as unknown as JsonObject } : {};
      const result = await this.describeMessages(event);
      if (event.type === 'PublicationEdited' && wanting(kind).length > 0) {
        const { content } = await this.describeContent(event, post, target, channel, signal);
        Object.assign(result, { revision: event.data.content.revision, ...content });
      }
      await this.fanOut.deliver(wanting(kind), kind, { ...ids, ...places, ...result, ...error }, event);
    }
    const completing = wanting('post.completed');
    const mayComplete = kinds.includes('post.completed') && completing.length > 0;
    // Most outcomes are not the last, which the read model shows with one query.
    if (mayComplete && !(await this.places.hasUnfinished(postId, projectId))) {
      const listed = await listPublications(aggregates, post, projectId);
      // `post.completed` must come after all outcomes (D-30), so only the event with the last outcome completes the
      // post.
      if (listed.every(({ publication, position }) => OVER.has(publication.state) && position <= event.position)) {
        const publications = listed.map(({ publication }) => publication);
        const body = { post_id: postId, project: places.project, publications };
        await this.fanOut.deliver(completing, 'post.completed', body, event, perPost);
      }
    }
  }

  /** Names the messages of what was published, and of what was taken back. */
  private async describeMessages(event: RecordedEventOf<PublicationOutcome>): Promise<JsonObject> {
    switch (event.type) {
      case 'PublicationSucceeded':
        return { message_ids: event.data.messageIds, urls: event.data.urls };
      case 'PublicationWithdrawn':
      case 'PublicationWithdrawalFailed':
      case 'PublicationEdited':
      case 'PublicationEditFailed':
        return { message_ids: (await readPublication(this.aggregates, event.data.publicationId)).state.messageIds };
      default:
        return {};
    }
  }

  /** Returns null if the post cannot be read. */
  private async readPost({ data, position }: RecordedEventOf<PublicationOutcome>): Promise<PostWithPayload | null> {
    await this.progress.requireUpTo('posts', position);
    const place = await this.places.findContentOfPublication(data.publicationId);
    return place && this.payloads.readPost(place.stream, place.revision).catch(nullIfUnreadable);
  }

  /**
   * Describes a post in the format of requests, with its text as published on the target (D-29).
   * @param released the post as it was released
   */
  private async describeContent(
    event: RecordedEventOf<PublicationSucceeded | PublicationEdited>,
    released: PostWithPayload,
    { projectId, platform }: Target,
    channel: ChannelState,
    signal: AbortSignal,
  ) {
    const { postId, publicationId, channelId } = event.data;
    const { projectRevision, content } =
      event.type === 'PublicationEdited' ? event.data : (await readPublication(this.aggregates, publicationId)).state;
    const { stream } = released.event;
    const post = content ? await this.payloads.readPost(stream, String(content.streamRevision)) : released;
    const payload = await this.located.locate(contentFor(post.payload, { channelId, platform }));
    const address = channel?.address ?? {};
    const published = { postId, payload, projectId, projectRevision, channelId, platform, address };
    const { text, entities } = await this.texts.read(published, causedBy(event, NAME), signal);
    return {
      content: {
        text,
        entities: entities as unknown as JsonObject[],
        text_html: toTextHtml({ text, entities }),
        media: (payload.media ?? []).map(toWebhookMedium),
        buttons: (payload.buttons ?? []) as unknown as JsonObject[][],
      },
      rest: {
        is_advertisement: payload.is_advertisement ?? false,
        metadata: payload.metadata ?? null,
        external_id: payload.external_id ?? null,
        trace_id: payload.trace_id ?? null,
      },
    };
  }
}
