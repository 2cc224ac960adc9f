import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { queryHandlers } from '../../api/management/query-handlers.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { ChannelsWithoutCredentials } from '../../projections/discovery/channels-without-credentials.queries.js';
import { EndpointSnapshots } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { FindEndpointTargetsHandler } from '../../projections/discovery/endpoint-targets.queries.js';
import { LiveEndpoints } from '../../projections/discovery/live-endpoints.queries.js';
import { References } from '../../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { ChannelMessages } from '../../projections/posts/channel-messages.queries.js';
import { FindEndpointPostHandler } from '../../projections/posts/endpoint-post.queries.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import { PostStories } from '../../projections/posts/post-stories.queries.js';
import { PublishScheduleQueries } from '../../projections/publish-schedule/publish-schedule.queries.js';
import { CountRescheduledHandler } from '../../projections/publish-schedule/rescheduled.queries.js';
import { QueuedPublications } from '../../projections/publish-schedule/queued-publications.queries.js';
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
      inject: [POOL],
      useFactory: (pool: Pool) => new EndpointSnapshots(pool),
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
      provide: ChannelMessages,
      inject: [POOL, ProjectionProgress],
      useFactory: (pool: Pool, progress: ProjectionProgress) => new ChannelMessages(pool, progress),
    },
    {
      provide: PostStories,
      inject: [POOL, EVENT_STORE, EventCodec],
      useFactory: (pool: Pool, store: EventStore, codec: EventCodec) => new PostStories(pool, store, codec),
    },
    {
      provide: PostPayloads,
      inject: [EVENT_STORE, EventCodec],
      useFactory: (store: EventStore, codec: EventCodec) => new PostPayloads(store, codec),
    },
  ],
  exports: [
    ProjectionProgress,
    EndpointSnapshots,
    LiveEndpoints,
    ChannelsWithoutCredentials,
    References,
    QueuedPublications,
    PublishScheduleQueries,
    ChannelMessages,
    PostPayloads,
    PostStories,
  ],
})
export class ReadModelsModule {}
