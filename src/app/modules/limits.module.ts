import { Module } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { Limiter } from '../../limits/limiter.js';
import { MonthlyQuota } from '../../limits/monthly-quota.js';
import { POOL } from '../../postgres/tokens.js';
import { PostgresModule } from './postgres.module.js';

/** Rate limits, and the posts that a month has left. */
@Module({
  imports: [PostgresModule],
  providers: [
    {
      provide: Limiter,
      inject: [POOL, SETTINGS],
      useFactory: (pool: Pool, { limitsProfile }: Settings) => new Limiter(pool, limitsProfile),
    },
    {
      provide: MonthlyQuota,
      inject: [QueryBus, CLOCK, SETTINGS],
      useFactory: (queries: QueryBus, clock: Clock, { limitsProfile }: Settings) =>
        new MonthlyQuota(queries, clock, limitsProfile),
    },
  ],
  exports: [Limiter, MonthlyQuota],
})
export class LimitsModule {}
