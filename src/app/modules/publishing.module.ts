import { Inject, Injectable, Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { monthlyPostsOf } from '../../config/limits-profile.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { type Log, LOG } from '../../kernel/log.js';
import { Metrics } from '../../health/metrics.js';
import { Inspector } from '../../media/inspector.js';
import { Publishers } from '../../platforms/publishers.js';
import { CallTurns } from '../../postgres/call-turns.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { CircuitBreaker } from '../../processing/translation/circuit-breaker.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { ChannelMessages } from '../../projections/posts/channel-messages.queries.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import { PublishScheduleQueries } from '../../projections/publish-schedule/publish-schedule.queries.js';
import { PauseAfterPublication } from '../../sagas/pause-after-publication/pause-after-publication.js';
import type { CountOutcome } from '../../sagas/publish-due-posts/attempt/outcome-report.js';
import { Pacing } from '../../sagas/publish-due-posts/attempt/pacing.js';
import {
  PublicationRunner,
  type PublicationRunnerDependencies,
} from '../../sagas/publish-due-posts/attempt/publication-runner.js';
import { PublishingQuota } from '../../sagas/publish-due-posts/attempt/quota.js';
import { DueClaims } from '../../sagas/engine/due-claims.js';
import { GroupConcurrency } from '../../sagas/engine/group-concurrency.js';
import { MediaFiles } from '../../sagas/publish-due-posts/inputs/media-files.js';
import { PostProcessor } from '../../sagas/publish-due-posts/inputs/post-processor.js';
import {
  WaitingPublications,
  type WaitingPublicationsDependencies,
} from '../../sagas/publish-due-posts/inputs/waiting-publications.js';
import { StoredTranslations } from '../../sagas/publish-due-posts/inputs/stored-translations.js';
import {
  DUE_CHANNELS,
  PublishDuePostsSaga,
  type PublishDuePostsSagaDependencies,
} from '../../sagas/publish-due-posts/publish-due-posts.saga.js';
import { SecretVault } from '../../secrets/vault.js';
import { Database } from '../database.js';
import { openMediaFiles } from '../media-files.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';
import { Resources } from '../resources.js';
import { PublishingTask } from '../worker/publishing-task.js';
import { EventStoreModule } from './event-store.module.js';
import { MediaModule } from './media.module.js';
import { MetricsModule } from './metrics.module.js';
import { PlatformsModule } from './platforms.module.js';
import { PostgresModule } from './postgres.module.js';
import { ProcessingModule } from './processing.module.js';
import { ReadModelsModule } from './read-models.module.js';
import { SecretsModule } from './secrets.module.js';

/** Channels of one network on which a process publishes at the same time; those that only wait do not count. */
const CHANNELS_PER_NETWORK = 512;

@Injectable()
class RunnerDependencies implements PublicationRunnerDependencies {
  readonly countOutcome: CountOutcome;

  constructor(
    readonly aggregates: AggregateStore,
    readonly payloads: PostPayloads,
    readonly publishers: Publishers,
    readonly processor: PostProcessor,
    readonly quota: PublishingQuota,
    readonly waiting: WaitingPublications,
    readonly concurrency: GroupConcurrency,
    readonly pacing: Pacing,
    readonly messages: ChannelMessages,
    readonly pauses: PauseAfterPublication,
    readonly media: MediaFiles,
    readonly leases: Leases,
    readonly vault: SecretVault,
    @Inject(CLOCK) readonly clock: Clock,
    @Inject(LOG) readonly log: Log,
    metrics: Metrics,
  ) {
    this.countOutcome = metrics.publicationCounter();
  }
}

@Injectable()
class SagaDependencies implements PublishDuePostsSagaDependencies {
  constructor(
    readonly claims: DueClaims,
    readonly schedule: PublishScheduleQueries,
    readonly runner: PublicationRunner,
    readonly concurrency: GroupConcurrency,
    readonly progress: ProjectionProgress,
    readonly leases: Leases,
    readonly notifications: Notifications,
    @Inject(CLOCK) readonly clock: Clock,
    @Inject(LOG) readonly log: Log,
  ) {}
}

@Injectable()
class WaitingDependencies implements WaitingPublicationsDependencies {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly schedule: PublishScheduleQueries,
    readonly concurrency: GroupConcurrency,
    @Inject(CLOCK) readonly clock: Clock,
    @Inject(LOG) readonly log: Log,
  ) {}
}

/** Publishing: due posts go out on their channels, in order. */
@Module({
  imports: [
    PostgresModule,
    EventStoreModule,
    MetricsModule,
    ReadModelsModule,
    SecretsModule,
    MediaModule,
    ProcessingModule,
    PlatformsModule,
  ],
  providers: [
    RunnerDependencies,
    SagaDependencies,
    WaitingDependencies,
    {
      provide: PublishingTask,
      inject: [SagaDependencies, WaitingPublications],
      useFactory: (dependencies: SagaDependencies, waiting: WaitingPublications) => {
        const saga = new PublishDuePostsSaga(dependencies);
        return new PublishingTask({
          run: async (signals) => void (await Promise.all([saga.run(signals), waiting.run(signals.drain)])),
        });
      },
    },
    {
      provide: WaitingPublications,
      inject: [WaitingDependencies],
      useFactory: (dependencies: WaitingDependencies) => new WaitingPublications(dependencies),
    },
    {
      provide: PublicationRunner,
      inject: [RunnerDependencies],
      useFactory: (dependencies: RunnerDependencies) => new PublicationRunner(dependencies),
    },
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
    {
      provide: Pacing,
      inject: [CallTurns, GroupConcurrency, SETTINGS],
      useFactory: (turns: CallTurns, concurrency: GroupConcurrency, { pacing }: Settings) =>
        new Pacing(turns, concurrency, pacing),
    },
    {
      provide: PublishingQuota,
      inject: [POOL, AggregateStore, SETTINGS],
      useFactory: (pool: Pool, aggregates: AggregateStore, { limitsProfile }: Settings) =>
        new PublishingQuota(pool, aggregates, monthlyPostsOf(limitsProfile)),
    },
    {
      provide: PauseAfterPublication,
      inject: [AggregateStore, SETTINGS],
      useFactory: (aggregates: AggregateStore, { minuteMs }: Settings) =>
        new PauseAfterPublication(aggregates, minuteMs),
    },
    {
      provide: StoredTranslations,
      inject: [AggregateStore, CircuitBreaker, CLOCK],
      useFactory: (aggregates: AggregateStore, translator: CircuitBreaker, clock: Clock) =>
        new StoredTranslations(aggregates, translator, clock),
    },
    {
      provide: PostProcessor,
      inject: [AggregateStore, StoredTranslations, GroupConcurrency],
      useFactory: (aggregates: AggregateStore, translations: StoredTranslations, concurrency: GroupConcurrency) =>
        new PostProcessor(aggregates, translations, concurrency),
    },
    {
      provide: MediaFiles,
      // The folder is below DATA_DIR, which an open embedded database reserves for this process.
      inject: [SETTINGS, Inspector, LOG, Resources, Database],
      useFactory: openMediaFiles,
    },
  ],
  exports: [PublishingTask],
})
export class PublishingModule {}
