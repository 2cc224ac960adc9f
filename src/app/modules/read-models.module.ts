import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { queryHandlers } from '../../api/management/query-handlers.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { createDecisionRecorder } from '../../commands/projection/record-decision.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { ActivityQueries } from '../../projections/activity/activity.queries.js';
import { AlertQueries } from '../../projections/activity/alerts.queries.js';
import { ChannelsWithoutCredentials } from '../../projections/discovery/channels-without-credentials.queries.js';
import { EndpointSnapshots } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { FindEndpointTargetsHandler } from '../../projections/discovery/endpoint-targets.queries.js';
import { ChannelPlatforms } from '../../projections/discovery/channel-platforms.queries.js';
import { LiveEndpoints } from '../../projections/discovery/live-endpoints.queries.js';
import { References } from '../../projections/discovery/references.queries.js';
import { ResourceNames } from '../../projections/discovery/resource-names.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { ProjectionStatuses } from '../../projections/engine/projection-status.queries.js';
import { Decisions } from '../../projections/engine/rebuild/decisions.js';
import { Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import { ChannelMessages } from '../../projections/posts/channel-messages.queries.js';
import { FindEndpointPostHandler } from '../../projections/posts/endpoint-post.queries.js';
import { PostExcerpts } from '../../projections/posts/post-excerpts.queries.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import { PostStories } from '../../projections/posts/post-stories.queries.js';
import { PublicationDetailsQueries } from '../../projections/posts/publication-details.queries.js';
import { UsedUpOwners } from '../../projections/posts/used-up.queries.js';
import { NextPublicationQueries } from '../../projections/publish-schedule/next-publications.queries.js';
import { PublishScheduleQueries } from '../../projections/publish-schedule/publish-schedule.queries.js';
import { CountRescheduledHandler } from '../../projections/publish-schedule/rescheduled.queries.js';
import { QueuedPublications } from '../../projections/publish-schedule/queued-publications.queries.js';
import { DeliveryBodies } from '../../projections/webhook-deliveries/delivery-bodies.queries.js';
import { OutputQueues } from '../../projections/webhook-deliveries/output-queue.queries.js';
import { SagaStatuses } from '../../sagas/engine/saga-status.queries.js';
import { projectionsOf } from '../projections.js';
import { EventStoreModule } from './event-store.module.js';
import { PostgresModule } from './postgres.module.js';

/** Queries of the read models, and the progress of the projections that fill them. */
@Module({
  imports: [PostgresModule, EventStoreModule],
  providers: [
    ...queryHandlers,
    FindEndpointTargetsHandler,
    FindEndpointPostHandler,
    CountRescheduledHandler,
    {
      provide: ProjectionProgress,
      inject: [POOL, Notifications, SETTINGS],
      useFactory: async (pool: Pool, notifications: Notifications, settings: Settings) => {
        const progress = new ProjectionProgress(pool, notifications, projectionsOf(settings));
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
    { provide: References, inject: [POOL], useFactory: (pool: Pool) => new References(pool) },
    { provide: QueuedPublications, inject: [POOL], useFactory: (pool: Pool) => new QueuedPublications(pool) },
    {
      provide: ChannelsWithoutCredentials,
      inject: [POOL],
      useFactory: (pool: Pool) => new ChannelsWithoutCredentials(pool),
    },
    { provide: LiveEndpoints, inject: [POOL], useFactory: (pool: Pool) => new LiveEndpoints(pool) },
    {
      provide: PublishScheduleQueries,
      inject: [POOL, SETTINGS],
      useFactory: (pool: Pool, { minuteMs }: Settings) => new PublishScheduleQueries(pool, minuteMs),
    },
    {
      provide: ProjectionStatuses,
      inject: [POOL, EVENT_STORE, EventCodec],
      useFactory: (pool: Pool, store: EventStore, codec: EventCodec) => new ProjectionStatuses(pool, store, codec),
    },
    {
      provide: SagaStatuses,
      inject: [POOL, EVENT_STORE, EventCodec],
      useFactory: (pool: Pool, store: EventStore, codec: EventCodec) => new SagaStatuses(pool, store, codec),
    },
    {
      provide: Decisions,
      inject: [POOL, AggregateStore],
      useFactory: (pool: Pool, aggregates: AggregateStore) => new Decisions(pool, createDecisionRecorder(aggregates)),
    },
    {
      provide: Rebuilds,
      inject: [POOL, EVENT_STORE, SETTINGS, Decisions],
      useFactory: (pool: Pool, store: EventStore, settings: Settings, decisions: Decisions) =>
        new Rebuilds(pool, store, projectionsOf(settings), decisions),
    },
    {
      provide: ChannelMessages,
      inject: [POOL, ProjectionProgress],
      useFactory: (pool: Pool, progress: ProjectionProgress) => new ChannelMessages(pool, progress),
    },
    {
      provide: PostStories,
      inject: [POOL, EVENT_STORE, EventCodec],
      useFactory: (pool: Pool, store: EventStore, codec: EventCodec) => new PostStories(pool, store, codec),
    },
    { provide: ActivityQueries, inject: [POOL], useFactory: (pool: Pool) => new ActivityQueries(pool) },
    { provide: AlertQueries, inject: [POOL], useFactory: (pool: Pool) => new AlertQueries(pool) },
    { provide: NextPublicationQueries, inject: [POOL], useFactory: (pool: Pool) => new NextPublicationQueries(pool) },
    { provide: ChannelPlatforms, inject: [POOL], useFactory: (pool: Pool) => new ChannelPlatforms(pool) },
    { provide: ResourceNames, inject: [POOL], useFactory: (pool: Pool) => new ResourceNames(pool) },
    { provide: UsedUpOwners, inject: [POOL], useFactory: (pool: Pool) => new UsedUpOwners(pool) },
    {
      provide: PublicationDetailsQueries,
      inject: [POOL],
      useFactory: (pool: Pool) => new PublicationDetailsQueries(pool),
    },
    {
      provide: PostExcerpts,
      inject: [POOL, PostPayloads],
      useFactory: (pool: Pool, payloads: PostPayloads) => new PostExcerpts(pool, payloads),
    },
    { provide: OutputQueues, inject: [POOL], useFactory: (pool: Pool) => new OutputQueues(pool) },
    {
      provide: DeliveryBodies,
      inject: [EVENT_STORE, EventCodec],
      useFactory: (store: EventStore, codec: EventCodec) => new DeliveryBodies(store, codec),
    },
    {
      provide: PostPayloads,
      inject: [EVENT_STORE, EventCodec],
      useFactory: (store: EventStore, codec: EventCodec) => new PostPayloads(store, codec),
    },
  ],
  exports: [
    ProjectionProgress,
    ProjectionStatuses,
    SagaStatuses,
    Decisions,
    Rebuilds,
    EndpointSnapshots,
    LiveEndpoints,
    ChannelsWithoutCredentials,
    References,
    QueuedPublications,
    PublishScheduleQueries,
    ChannelMessages,
    PostPayloads,
    PostStories,
    DeliveryBodies,
    OutputQueues,
    ActivityQueries,
    AlertQueries,
    NextPublicationQueries,
    ChannelPlatforms,
    ResourceNames,
    UsedUpOwners,
    PublicationDetailsQueries,
    PostExcerpts,
  ],
})
export class ReadModelsModule {}
