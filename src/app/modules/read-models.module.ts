import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { createDecisionRecorder } from '../../commands/projection.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { ActivityQueries, AlertQueries } from '../../projections/activity/activity.queries.js';
import {
  ChannelPlatforms,
  ChannelsWithoutCredentials,
  FindChannelsOfChat,
  FindEndpointTargets,
  FindMissingIds,
  FindOwnerByKey,
  FindResource,
  ListResources,
  LiveEndpoints,
} from '../../projections/discovery/discovery.queries.js';
import { EndpointSnapshots } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { References, ResourceNames } from '../../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type Projection, PROJECTIONS } from '../../projections/engine/projection.js';
import { ProjectionStatuses } from '../../projections/engine/projection-status.queries.js';
import { Decisions, Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import { PlannedPostQueries } from '../../projections/planned-posts/planned-posts.queries.js';
import {
  FindEndpointPost,
  ListEndpointPosts,
  PostExcerpts,
  PostPlaces,
  PostPlans,
  PostStories,
} from '../../projections/posts/post-details.queries.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import { FindPost, ListPosts, PendingApprovalQueries } from '../../projections/posts/posts.queries.js';
import {
  ChannelMessages,
  FindPublication,
  ListReceipts,
  OpenDuplicateQueries,
  PublicationDetailsQueries,
} from '../../projections/posts/publications.queries.js';
import { FindPostsLeft, UsedUpOwners } from '../../projections/posts/usage.queries.js';
import { CountHeld, FindHolds } from '../../projections/publish-schedule/holds.queries.js';
import { NextPublicationQueries } from '../../projections/publish-schedule/next-publications.queries.js';
import {
  CountRescheduled,
  PublishScheduleQueries,
  QueuedPublications,
} from '../../projections/publish-schedule/publish-schedule.queries.js';
import { ListRequests } from '../../projections/request-log/request-log.queries.js';
import {
  DeliveryBodies,
  FindDelivery,
  FindFailedDeliveries,
  ListDeliveries,
  OutputQueues,
} from '../../projections/webhook-deliveries/webhook-deliveries.queries.js';
import { SagaStatuses } from '../../sagas/engine/saga-status.queries.js';
import { EventStoreModule } from './event-store.module.js';
import { PostgresModule } from './infrastructure.modules.js';

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
