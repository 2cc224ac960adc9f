import { Module } from '@nestjs/common';
import { JobTable } from '../../jobs/job-table.js';
import { PostgresModule } from './postgres.module.js';

/** The operator's long-running jobs, stored in the database. */
@Module({
  imports: [PostgresModule],
  providers: [JobTable],
  exports: [JobTable],
})
export class JobsModule {}
