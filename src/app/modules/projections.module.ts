import { Module } from '@nestjs/common';
import { ProjectionRunners } from '../worker/projection-runners.js';
import { EventStoreModule } from './event-store.module.js';
import { PostgresModule } from './infrastructure.modules.js';
import { ReadModelsModule } from './read-models.module.js';

/** The projections that fill the read models. */
@Module({
  imports: [PostgresModule, EventStoreModule, ReadModelsModule],
  providers: [ProjectionRunners],
  exports: [ProjectionRunners],
})
export class ProjectionsModule {}
