import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import { Metrics } from '../../health/metrics.js';
import { POOL } from '../../postgres/tokens.js';
import { PostgresModule } from './postgres.module.js';

/** Metrics of the process. */
@Module({
  imports: [PostgresModule],
  providers: [{ provide: Metrics, inject: [POOL], useFactory: (pool: Pool) => new Metrics(pool) }],
  exports: [Metrics],
})
export class MetricsModule {}
