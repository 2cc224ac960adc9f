import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { PauseAfterPublication } from '../../commands/pause.js';
import { SETTINGS } from '../../config/tokens.js';
import { Metrics } from '../../health/metrics.js';
import { LogContinuity } from '../../history/transparency-log/log-continuity.js';
import { LOG } from '../../kernel/log.js';
import { Inspector } from '../../media/inspector.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../outbound-http/address-policy.js';
import { GuardedClient } from '../../outbound-http/guarded-client.js';
import { Publishers } from '../../platforms/publishers.js';
import { Leases } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import { NoticeChats, ProjectOutputs } from '../../projections/discovery/discovery.queries.js';
import { NoticeQueue } from '../../sagas/deliver-notices/notice-queue.js';
import { OUTPUTS_PER_HOST } from '../../sagas/deliver-webhooks/deliver-webhooks.js';
import { ATTEMPT_TIMEOUT_MS, DeliverySender, PublishedTexts } from '../../sagas/deliver-webhooks/delivery-sender.js';
import { DeliveryFanOut, PlannedPostDeliveries } from '../../sagas/deliver-webhooks/schedule-deliveries.js';
import { DueClaims, DueWorkServices } from '../../sagas/engine/due-work.js';
import { EventSaga, EventSagaServices, followedLogOf, type Reacting } from '../../sagas/engine/event-saga.js';
import { GroupConcurrency } from '../../sagas/engine/group-concurrency.js';
import { EventOwners } from '../../sagas/engine/saga-lanes.js';
import { FailureRecorder } from '../../sagas/publish-due-posts/attempt/failure-recorder.js';
import { InDoubtResolver } from '../../sagas/publish-due-posts/attempt/in-doubt-resolver.js';
import { COUNT_OUTCOME, OutcomeRecorder } from '../../sagas/publish-due-posts/attempt/outcome-recorder.js';
import { PublicationRunner } from '../../sagas/publish-due-posts/attempt/publication-runner.js';
import { Pacing, PublishingQuota, StartTurns } from '../../sagas/publish-due-posts/attempt/start-limits.js';
import { StepSender } from '../../sagas/publish-due-posts/attempt/step-sender.js';
import { PostProcessor, StoredTranslations } from '../../sagas/publish-due-posts/inputs/post-processor.js';
import { MediaFiles } from '../../sagas/publish-due-posts/inputs/shared-inputs.js';
import { ChannelStates } from '../../sagas/publish-due-posts/inputs/waiting-publications.js';
import { DUE_CHANNELS } from '../../sagas/publish-due-posts/publish-due-posts.js';
import { LookUpRestored } from '../../sagas/recover/look-up-restored.js';
import { MarkRestored } from '../../sagas/recover/recover.js';
import { RECORD_RELEASE_DELAY } from '../../sagas/release-planned-posts/release-planned-posts.js';
import { Database } from '../database.js';
import { openMediaFiles } from '../media-files.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';
import { Resources } from '../resources.js';
import { SAGAS } from '../sagas.js';
import { type RunningSaga, SagaTask } from '../worker/saga-task.js';
import { CommandsModule } from './commands.module.js';
import { EventStoreModule } from './event-store.module.js';
import { MediaModule, MetricsModule, PostgresModule, SecretsModule } from './infrastructure.modules.js';
import { PlatformsModule, ProcessingModule } from './publishing.modules.js';
import { ReadModelsModule } from './read-models.module.js';

/** Injection token for the tasks that run the {@link SAGAS}. */
export const SAGA_TASKS = Symbol('SagaTasks');

/** Maximum number of channels of one network that a process publishes on at a time; waiting channels do not count. */
const CHANNELS_PER_NETWORK = 512;

/**
 * Maximum number of publications that a process prepares at a time while several owners publish. More would not be
 * faster, because they share one event loop.
 */
const STARTS = 32;

type Saga = RunningSaga | Reacting;

/** All sagas, and the services that the sagas for publishing and delivery need. */
@Module({
  imports: [
    PostgresModule,
    EventStoreModule,
    MetricsModule,
    ReadModelsModule,
    CommandsModule,
    SecretsModule,
    MediaModule,
    ProcessingModule,
    PlatformsModule,
  ],
  providers: [
    ...SAGAS,
    EventOwners,
    EventSagaServices,
    DueWorkServices,
    ChannelStates,
    DeliveryFanOut,
    FailureRecorder,
    InDoubtResolver,
    LogContinuity,
    LookUpRestored,
    MarkRestored,
    NoticeChats,
    NoticeQueue,
    OutcomeRecorder,
    Pacing,
    PauseAfterPublication,
    PlannedPostDeliveries,
    PostProcessor,
    ProjectOutputs,
    PublicationRunner,
    PublishedTexts,
    PublishingQuota,
    StepSender,
    StoredTranslations,
    { provide: COUNT_OUTCOME, inject: [Metrics], useFactory: (metrics: Metrics) => metrics.publicationCounter() },
    { provide: RECORD_RELEASE_DELAY, inject: [Metrics], useFactory: (metrics: Metrics) => metrics.releaseDelay() },
    {
      provide: DueClaims,
      inject: [POOL, Leases],
      useFactory: (pool: Pool, leases: Leases) => new DueClaims(pool, leases, DUE_CHANNELS),
    },
    {
      provide: GroupConcurrency,
      inject: [Publishers, PROCESS_OPTIONS],
      useFactory: ({ platforms }: Publishers, { overrides }: ProcessOptions) =>
        new GroupConcurrency(platforms, overrides?.channelsPerNetwork ?? CHANNELS_PER_NETWORK),
    },
    { provide: StartTurns, useFactory: () => new StartTurns(STARTS) },
    {
      provide: MediaFiles,
      // The folder is below DATA_DIR, which an open embedded database reserves for this process.
      inject: [SETTINGS, ADDRESS_POLICY, Inspector, LOG, Resources, Database],
      useFactory: openMediaFiles,
    },
    {
      provide: DeliverySender,
      inject: [ADDRESS_POLICY, Resources],
      useFactory: async (policy: AddressPolicy, resources: Resources) => {
        const timeouts = { headersMs: ATTEMPT_TIMEOUT_MS, idleMs: ATTEMPT_TIMEOUT_MS };
        const client = new GuardedClient({ policy, timeouts, connections: OUTPUTS_PER_HOST });
        await resources.add(() => client.close());
        return new DeliverySender(client);
      },
    },
    {
      provide: SAGA_TASKS,
      inject: [EventSagaServices, ...SAGAS],
      useFactory: (services: EventSagaServices, ...sagas: readonly Saga[]) =>
        sagas.map((saga) => createTask(saga, services)),
    },
  ],
  exports: [SAGA_TASKS],
})
export class SagasModule {}

const createTask = (saga: Saga, services: EventSagaServices): SagaTask => {
  if ('run' in saga) return new SagaTask(saga);
  const followed = followedLogOf(saga.constructor)!;
  return new SagaTask(new EventSaga({ ...followed, react: (event, signal) => saga.react(event, signal) }, services));
};
