import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Leases } from '../../postgres/leases.js';
import type { BackgroundTask } from '../worker/background-task.js';
import { ProjectionRunners } from '../worker/projection-runners.js';
import { PublishingTask } from '../worker/publishing-task.js';
import {
  COMPLETE_DELETIONS,
  DELIVER_NOTICES,
  DUE_ERASURES,
  ERASE_REPLACED,
  EventSagasModule,
  FLAG_MISSING_CREDENTIALS,
  NOTE_TRANSLATIONS,
  PRUNE_EXPIRED,
  QUEUE_NOTICES,
  RAISE_NOTICES,
  RAISE_QUOTA_NOTICES,
  WITHDRAW_INPUT,
  WRITE_TRANSPARENCY_LOG,
} from './event-sagas.module.js';
import { JobRunner } from '../../jobs/job-runner.js';
import { JobRunnerModule } from './job-runner.module.js';
import { PostgresModule } from './postgres.module.js';
import { ProjectionsModule } from './projections.module.js';
import { PublishingModule } from './publishing.module.js';
import { DELIVER_WEBHOOKS, SCHEDULE_DELIVERIES, WebhooksModule } from './webhooks.module.js';

/**
 * Role `worker`: projections and sagas. At shutdown the web server has answered its last request; the sagas end together,
 * then the projections, which show what the sagas did; {@link Resources} closes what they used.
 */
@Module({
  imports: [PostgresModule, ProjectionsModule, PublishingModule, EventSagasModule, WebhooksModule, JobRunnerModule],
})
export class WorkerModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sagas: readonly BackgroundTask[];

  constructor(
    private readonly leases: Leases,
    private readonly projections: ProjectionRunners,
    publishing: PublishingTask,
    jobs: JobRunner,
    @Inject(RAISE_NOTICES) raiseNotices: BackgroundTask,
    @Inject(RAISE_QUOTA_NOTICES) raiseQuotaNotices: BackgroundTask,
    @Inject(QUEUE_NOTICES) queueNotices: BackgroundTask,
    @Inject(DELIVER_NOTICES) deliverNotices: BackgroundTask,
    @Inject(WITHDRAW_INPUT) withdrawInput: BackgroundTask,
    @Inject(COMPLETE_DELETIONS) completeDeletions: BackgroundTask,
    @Inject(ERASE_REPLACED) eraseReplaced: BackgroundTask,
    @Inject(NOTE_TRANSLATIONS) noteTranslations: BackgroundTask,
    @Inject(DUE_ERASURES) dueErasures: BackgroundTask,
    @Inject(PRUNE_EXPIRED) pruneExpired: BackgroundTask,
    @Inject(FLAG_MISSING_CREDENTIALS) flagMissingCredentials: BackgroundTask,
    @Inject(SCHEDULE_DELIVERIES) scheduleDeliveries: BackgroundTask,
    @Inject(DELIVER_WEBHOOKS) deliverWebhooks: BackgroundTask,
    @Inject(WRITE_TRANSPARENCY_LOG) writeTransparencyLog: BackgroundTask,
  ) {
    this.sagas = [
      ...[publishing, raiseNotices, raiseQuotaNotices, queueNotices, deliverNotices, withdrawInput, completeDeletions],
      ...[eraseReplaced, noteTranslations, dueErasures, pruneExpired, flagMissingCredentials],
      ...[scheduleDeliveries, deliverWebhooks, writeTransparencyLog, jobs],
    ];
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.leases.start();
    this.projections.start();
    for (const saga of this.sagas) saga.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.sagas.map((saga) => saga.stop()));
    await this.projections.stop();
  }
}
