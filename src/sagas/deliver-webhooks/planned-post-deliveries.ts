import { Injectable } from '@nestjs/common';
import { endpoint as endpointDecider } from '../../domain/endpoint/endpoint.decider.js';
import {
  listReleased,
  type PlannedPublicationsCancelled,
  type PostApprovalRequested,
  type PostRejected,
  type PostReleased,
} from '../../domain/post/post.events.js';
import { project as projectDecider } from '../../domain/project/project.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { isoOrNull } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { ProjectOutputs } from '../../projections/discovery/discovery.queries.js';
import { nullIfUnreadable, PostPayloads, type PostWithPayload } from '../../projections/posts/post-payloads.js';
import { DeliveryFanOut } from './delivery-fan-out.js';
import { describeCancelled } from './listed-publications.js';

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
    const body = {
      post_id: postId,
      endpoint: { id: endpointId, name: state?.settings.name ?? null },
      publish_at: isoOrNull(publishAt),
      text: post.payload.text ?? null,
    };
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
