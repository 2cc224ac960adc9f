import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Leases } from '../../postgres/leases.js';
import type { BackgroundTask } from '../worker/background-task.js';
import { ProjectionRunners } from '../worker/projection-runners.js';
import { PublishingTask } from '../worker/publishing-task.js';
import { EventSagasModule, SAGA_TASKS } from './event-sagas.module.js';
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
    @Inject(SAGA_TASKS) tasks: readonly BackgroundTask[],
    @Inject(SCHEDULE_DELIVERIES) scheduleDeliveries: BackgroundTask,
    @Inject(DELIVER_WEBHOOKS) deliverWebhooks: BackgroundTask,
  ) {
    this.sagas = [publishing, ...tasks, scheduleDeliveries, deliverWebhooks, jobs];
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
