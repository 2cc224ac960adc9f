import { Module } from '@nestjs/common';
import { ChangeStreams, STREAM_OPTIONS } from '../../api/management/stream/change-streams.js';
import { ChangeFeed } from '../../changes/change-feed.js';
import { ResourceOwners } from '../../changes/resource-owners.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { LOG, type Log } from '../../kernel/log.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type Projection, PROJECTIONS } from '../../projections/engine/projection.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';
import { EventStoreModule } from './event-store.module.js';
import { ReadModelsModule } from './read-models.module.js';

/** The change feed, and the streams that send its changes to readers. */
@Module({
  imports: [EventStoreModule, ReadModelsModule],
  providers: [
    {
      provide: ChangeFeed,
      inject: [EVENT_STORE, EventCodec, ProjectionProgress, PROJECTIONS, LOG],
      useFactory: (
        store: EventStore,
        codec: EventCodec,
        progress: ProjectionProgress,
        models: readonly Projection[],
        log: Log,
      ) => {
        const owners = new ResourceOwners(store, codec);
        return new ChangeFeed(store, codec, owners, progress, models, log);
      },
    },
    {
      provide: ChangeStreams,
      inject: [ChangeFeed, LOG, PROCESS_OPTIONS],
      useFactory: (feed: ChangeFeed, log: Log, { overrides }: ProcessOptions) =>
        new ChangeStreams(feed, log, { ...STREAM_OPTIONS, ...overrides?.streams }),
    },
  ],
  exports: [ChangeStreams],
})
export class ChangesModule {}
