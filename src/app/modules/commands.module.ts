import { Module } from '@nestjs/common';
import { InputWithdrawal } from '../../commands/endpoint/input-withdrawal.js';
import { DisableEndpointHandler } from '../../commands/endpoint/disable-endpoint.js';
import { OutputWithdrawal } from '../../commands/webhook-output/output-withdrawal.js';
import { Deletions } from '../../commands/deletion/deletions.js';
import { managementHandlers } from '../../commands/handlers.js';
import { TempPauseHandler } from '../../commands/pause/temp-pause.js';
import { TempResumeHandler } from '../../commands/pause/temp-resume.js';
import { AcceptPostHandler } from '../../commands/post/accept-post.js';
import { KeyClaims } from '../../commands/post/key-claims.js';
import { CappedCreation } from '../../commands/resource-cap/capped-creation.js';
import { LogRequestsHandler } from '../../commands/request-log/log-requests.js';
import { plansWithInput, plansWithOutput, resourceCapsOf } from '../../config/limits-profile.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { ResourceReservations } from '../../limits/resource-reservations.js';
import { LiveEndpoints } from '../../projections/discovery/live-endpoints.queries.js';
import { References } from '../../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { QueuedPublications } from '../../projections/publish-schedule/queued-publications.queries.js';
import { EventStoreModule } from './event-store.module.js';
import { LimitsModule } from './limits.module.js';
import { ReadModelsModule } from './read-models.module.js';
import { SecretsModule } from './secrets.module.js';

/** Command handlers, and the services that they share with the interfaces and the sagas. */
@Module({
  imports: [EventStoreModule, LimitsModule, SecretsModule, ReadModelsModule],
  providers: [
    AcceptPostHandler,
    DisableEndpointHandler,
    LogRequestsHandler,
    TempPauseHandler,
    TempResumeHandler,
    ...managementHandlers,
    {
      provide: InputWithdrawal,
      inject: [AggregateStore, LiveEndpoints, SETTINGS],
      useFactory: (aggregates: AggregateStore, endpoints: LiveEndpoints, { limitsProfile }: Settings) =>
        new InputWithdrawal(aggregates, endpoints, plansWithInput(limitsProfile)),
    },
    {
      provide: OutputWithdrawal,
      inject: [AggregateStore, References, SETTINGS],
      useFactory: (aggregates: AggregateStore, references: References, { limitsProfile }: Settings) =>
        new OutputWithdrawal(aggregates, references, plansWithOutput(limitsProfile)),
    },
    {
      provide: Deletions,
      inject: [AggregateStore, References, QueuedPublications, ProjectionProgress],
      useFactory: (
        aggregates: AggregateStore,
        references: References,
        queued: QueuedPublications,
        progress: ProjectionProgress,
      ) => new Deletions(aggregates, references, queued, progress),
    },
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
    {
      provide: KeyClaims,
      inject: [AggregateStore],
      useFactory: (aggregates: AggregateStore) => new KeyClaims(aggregates),
    },
  ],
  exports: [Deletions, InputWithdrawal, OutputWithdrawal, KeyClaims, AcceptPostHandler],
})
export class CommandsModule {}
