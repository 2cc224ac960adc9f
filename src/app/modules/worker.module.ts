import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { JobRunner } from '../../jobs/job-runner.js';
import { Leases } from '../../postgres/leases.js';
import type { BackgroundTask } from '../worker/background-task.js';
import { ProjectionRunners } from '../worker/projection-runners.js';
import { PostgresModule } from './infrastructure.modules.js';
import { JobRunnerModule } from './job-runner.module.js';
import { ProjectionsModule } from './projections.module.js';
import { SAGA_TASKS, SagasModule } from './sagas.module.js';

/**
 * Role `worker`: projections, sagas and jobs. At shutdown, the web server first finishes its last request. Then the
 * sagas and the job runner stop together, then the projections, because they show what the sagas did. Finally,
 * {@link Resources} closes everything they used.
 */
@Module({ imports: [PostgresModule, ProjectionsModule, SagasModule, JobRunnerModule] })
export class WorkerModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly tasks: readonly BackgroundTask[];

  constructor(
    private readonly leases: Leases,
    private readonly projections: ProjectionRunners,
    @Inject(SAGA_TASKS) sagas: readonly BackgroundTask[],
    jobs: JobRunner,
  ) {
    this.tasks = [...sagas, jobs];
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.leases.start();
    this.projections.start();
    for (const task of this.tasks) task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
    await this.projections.stop();
  }
}
