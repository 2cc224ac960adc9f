import { Module } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { type Log, LOG } from '../../kernel/log.js';
import { Limiter } from '../../limits/limiter.js';
import { MonthlyQuota } from '../../limits/monthly-quota.js';
import { PreviewBudget } from '../../limits/preview-budget.js';
import { ProbeBudget } from '../../limits/probe-budget.js';
import { ResourceReservations } from '../../limits/resource-reservations.js';
import { POOL } from '../../postgres/tokens.js';
import { PostgresModule } from './postgres.module.js';

/** Rate limits, the posts that a month has left, the budgets for probes and previews, and the places of new resources. */
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
    {
      provide: ProbeBudget,
      inject: [POOL, SETTINGS, LOG],
      useFactory: (pool: Pool, { limitsProfile }: Settings, log: Log) => new ProbeBudget(pool, limitsProfile, log),
    },
    {
      provide: PreviewBudget,
      inject: [SETTINGS],
      useFactory: ({ limitsProfile }: Settings) => new PreviewBudget(limitsProfile),
    },
    {
      provide: ResourceReservations,
      inject: [POOL],
      useFactory: (pool: Pool) => new ResourceReservations(pool),
    },
  ],
  exports: [Limiter, MonthlyQuota, PreviewBudget, ProbeBudget, ResourceReservations],
})
export class LimitsModule {}
