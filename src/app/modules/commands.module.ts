import { Module } from '@nestjs/common';
import { Deletions } from '../../commands/deletion.js';
import { ScheduleDelivery } from '../../commands/delivery.js';
import { DisableEndpointHandler } from '../../commands/endpoint.js';
import { managementHandlers } from '../../commands/handlers.js';
import { PlanWithdrawal } from '../../commands/owner.js';
import { PauseTargetsHandler, TempPauseHandler, TempResumeHandler } from '../../commands/pause.js';
import { CappedCreation, PlannedCap } from '../../commands/plan-limits.js';
import { AcceptPostHandler } from '../../commands/post/accept-post.js';
import { KeyClaims } from '../../commands/post/key-claims.js';
import { LargePayloads } from '../../commands/post/large-payloads.js';
import { PlannedCancellations } from '../../commands/post/planned-cancellations.js';
import { PlannedPosts } from '../../commands/post/planned-posts.js';
import { PostChanges } from '../../commands/post/post-changes.js';
import { LogRequestsHandler } from '../../commands/request-log.js';
import { plansWithInput, plansWithOutput, resourceCapsOf } from '../../config/limits-profile.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { CLOCK, type Clock, SHARED_CLOCK } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { ResourceReservations } from '../../limits/resource-reservations.js';
import { LiveEndpoints } from '../../projections/discovery/discovery.queries.js';
import { References } from '../../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { PlannedPostQueries } from '../../projections/planned-posts/planned-posts.queries.js';
import { EventStoreModule } from './event-store.module.js';
import { PostgresModule, SecretsModule } from './infrastructure.modules.js';
import { LimitsModule } from './limits.module.js';
import { ReadModelsModule } from './read-models.module.js';

/** Command handlers, and the services that they share with the interfaces and the sagas. */
@Module({
  imports: [PostgresModule, EventStoreModule, LimitsModule, SecretsModule, ReadModelsModule],
  providers: [
    AcceptPostHandler,
    PlannedCap,
    DisableEndpointHandler,
    LogRequestsHandler,
    TempPauseHandler,
    TempResumeHandler,
    ...managementHandlers,
    {
      provide: PlanWithdrawal,
      inject: [AggregateStore, LiveEndpoints, References, SETTINGS],
      useFactory: (
        aggregates: AggregateStore,
        endpoints: LiveEndpoints,
        references: References,
        { limitsProfile }: Settings,
      ) =>
        new PlanWithdrawal(
          aggregates,
          endpoints,
          references,
          plansWithInput(limitsProfile),
          plansWithOutput(limitsProfile),
        ),
    },
    Deletions,
    {
      provide: CappedCreation,
      inject: [AggregateStore, ResourceReservations, ProjectionProgress, SETTINGS],
      useFactory: (
        aggregates: AggregateStore,
        reservations: ResourceReservations,
        progress: ProjectionProgress,
        { limitsProfile }: Settings,
      ) => new CappedCreation(aggregates, reservations, progress, resourceCapsOf(limitsProfile)),
    },
    ScheduleDelivery,
    {
      provide: LargePayloads,
      inject: [AggregateStore, ErasureNotes, CLOCK],
      useFactory: (aggregates: AggregateStore, notes: ErasureNotes, clock: Clock) =>
        new LargePayloads(aggregates, notes, clock),
    },
    {
      provide: PlannedPosts,
      inject: [AggregateStore],
      useFactory: (aggregates: AggregateStore) => new PlannedPosts(aggregates),
    },
    {
      provide: PostChanges,
      inject: [PlannedPosts, LargePayloads, SHARED_CLOCK],
      useFactory: (posts: PlannedPosts, large: LargePayloads, clock: Clock) => new PostChanges(posts, large, clock),
    },
    {
      provide: PlannedCancellations,
      inject: [PlannedPostQueries, PlannedPosts, ProjectionProgress, LOG],
      useFactory: (queries: PlannedPostQueries, posts: PlannedPosts, progress: ProjectionProgress, log: Log) =>
        new PlannedCancellations(queries, posts, progress, log),
    },
    {
      provide: KeyClaims,
      inject: [AggregateStore],
      useFactory: (aggregates: AggregateStore) => new KeyClaims(aggregates),
    },
  ],
  exports: [
    PauseTargetsHandler,
    ScheduleDelivery,
    Deletions,
    PlanWithdrawal,
    KeyClaims,
    PlannedPosts,
    PostChanges,
    AcceptPostHandler,
  ],
})
export class CommandsModule {}
