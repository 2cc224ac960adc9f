import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { JobTable } from '../../jobs/job-table.js';
import { POOL } from '../../postgres/tokens.js';
import { PostgresModule } from './postgres.module.js';

/** The operator's long work, as the database keeps it. */
@Module({
  imports: [PostgresModule],
  providers: [{ provide: JobTable, inject: [POOL], useFactory: (pool: Pool) => new JobTable(pool) }],
  exports: [JobTable],
})
export class JobsModule {}
