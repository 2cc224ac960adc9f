import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { createDecisionRecorder } from '../../commands/projection/record-decision.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { ActivityQueries } from '../../projections/activity/activity.queries.js';
import { AlertQueries } from '../../projections/activity/alerts.queries.js';
import { ChannelPlatforms } from '../../projections/discovery/channel-platforms.queries.js';
import { ChannelsWithoutCredentials } from '../../projections/discovery/channels-without-credentials.queries.js';
import {
  FindChannelsOfChat,
  FindMissingIds,
  FindOwnerByKey,
  FindResource,
  ListResources,
} from '../../projections/discovery/discovery.queries.js';
import { EndpointSnapshots } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { FindEndpointTargets } from '../../projections/discovery/endpoint-targets.queries.js';
import { LiveEndpoints } from '../../projections/discovery/live-endpoints.queries.js';
import { References } from '../../projections/discovery/references.queries.js';
import { ResourceNames } from '../../projections/discovery/resource-names.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type Projection, PROJECTIONS } from '../../projections/engine/projection.js';
import { ProjectionStatuses } from '../../projections/engine/projection-status.queries.js';
import { Decisions } from '../../projections/engine/rebuild/decisions.js';
import { Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import { PlannedPostQueries } from '../../projections/planned-posts/planned-posts.queries.js';
import { ChannelMessages } from '../../projections/posts/channel-messages.queries.js';
import { FindEndpointPost, ListEndpointPosts } from '../../projections/posts/endpoint-post.queries.js';
import { OpenDuplicateQueries } from '../../projections/posts/open-duplicates.queries.js';
import { PendingApprovalQueries } from '../../projections/posts/pending-approvals.queries.js';
import { PostExcerpts } from '../../projections/posts/post-excerpts.queries.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import { PostPlaces } from '../../projections/posts/post-place.queries.js';
import { PostPlans } from '../../projections/posts/post-plans.queries.js';
import { PostStories } from '../../projections/posts/post-stories.queries.js';
import { FindPost, ListPosts } from '../../projections/posts/posts.queries.js';
import { PublicationDetailsQueries } from '../../projections/posts/publication-details.queries.js';
import { FindPublication, ListReceipts } from '../../projections/posts/publications.queries.js';
import { FindPostsLeft } from '../../projections/posts/usage.queries.js';
import { UsedUpOwners } from '../../projections/posts/used-up.queries.js';
import { CountHeld } from '../../projections/publish-schedule/held-counts.queries.js';
import { FindHolds } from '../../projections/publish-schedule/holds.queries.js';
import { NextPublicationQueries } from '../../projections/publish-schedule/next-publications.queries.js';
import { PublishScheduleQueries } from '../../projections/publish-schedule/publish-schedule.queries.js';
import { QueuedPublications } from '../../projections/publish-schedule/queued-publications.queries.js';
import { CountRescheduled } from '../../projections/publish-schedule/rescheduled.queries.js';
import { ListRequests } from '../../projections/request-log/request-log.queries.js';
import { DeliveryBodies } from '../../projections/webhook-deliveries/delivery-bodies.queries.js';
import { OutputQueues } from '../../projections/webhook-deliveries/output-queue.queries.js';
import {
  FindDelivery,
  FindFailedDeliveries,
  ListDeliveries,
} from '../../projections/webhook-deliveries/webhook-deliveries.queries.js';
import { SagaStatuses } from '../../sagas/engine/saga-status.queries.js';
import { EventStoreModule } from './event-store.module.js';
import { PostgresModule } from './postgres.module.js';

/** Classes that query the read models. */
const QUERIES = [
  ActivityQueries,
  AlertQueries,
  ChannelMessages,
  ChannelPlatforms,
  ChannelsWithoutCredentials,
  CountHeld,
  CountRescheduled,
  DeliveryBodies,
  FindChannelsOfChat,
  FindDelivery,
  FindEndpointPost,
  ListEndpointPosts,
  FindEndpointTargets,
  FindFailedDeliveries,
  FindHolds,
  FindMissingIds,
  FindOwnerByKey,
  FindPost,
  FindPostsLeft,
  FindPublication,
  FindResource,
  ListDeliveries,
  ListPosts,
  ListReceipts,
  ListRequests,
  ListResources,
  LiveEndpoints,
  NextPublicationQueries,
  OutputQueues,
  PlannedPostQueries,
  OpenDuplicateQueries,
  PendingApprovalQueries,
  PostExcerpts,
  PostPayloads,
  PostPlaces,
  PostPlans,
  PostStories,
  ProjectionStatuses,
  PublicationDetailsQueries,
  PublishScheduleQueries,
  QueuedPublications,
  References,
  ResourceNames,
  SagaStatuses,
  UsedUpOwners,
];

/** Classes that query the read models, and the progress of the projections that fill them. */
@Module({
  imports: [PostgresModule, EventStoreModule],
  providers: [
    ...QUERIES,
    {
      provide: ProjectionProgress,
      inject: [POOL, Notifications, PROJECTIONS],
      useFactory: async (pool: Pool, notifications: Notifications, projections: readonly Projection[]) => {
        const progress = new ProjectionProgress(pool, notifications, projections);
        await progress.refresh(); // the views that this program reads may not exist yet
        return progress;
      },
    },
    {
      provide: EndpointSnapshots,
      inject: [POOL, ProjectionProgress, Notifications],
      useFactory: (pool: Pool, progress: ProjectionProgress, notifications: Notifications) => {
        const snapshots = new EndpointSnapshots(pool);
        progress.onVersions('discovery', () => snapshots.clear());
        notifications.onLoss(() => snapshots.clear());
        return snapshots;
      },
    },
    {
      provide: Decisions,
      inject: [POOL, AggregateStore],
      useFactory: (pool: Pool, aggregates: AggregateStore) => new Decisions(pool, createDecisionRecorder(aggregates)),
    },
    Rebuilds,
  ],
  exports: [...QUERIES, ProjectionProgress, EndpointSnapshots, Decisions, Rebuilds],
})
export class ReadModelsModule {}
