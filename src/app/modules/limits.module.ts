import { Module } from '@nestjs/common';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { ChangeBudget, PreviewBudget, ProbeBudget } from '../../limits/budgets.js';
import { Limiter } from '../../limits/limiter.js';
import { MonthlyQuota } from '../../limits/monthly-quota.js';
import { ResourceReservations } from '../../limits/resource-reservations.js';
import { PostgresModule } from './infrastructure.modules.js';
import { ReadModelsModule } from './read-models.module.js';

/** Rate limits, monthly quotas, budgets for changes, probes and previews, and reservations for new resources. */
@Module({
  imports: [PostgresModule, ReadModelsModule],
  providers: [
    ChangeBudget,
    Limiter,
    MonthlyQuota,
    ProbeBudget,
    {
      provide: PreviewBudget,
      inject: [SETTINGS],
      useFactory: ({ limitsProfile }: Settings) => new PreviewBudget(limitsProfile),
    },
    ResourceReservations,
  ],
  exports: [ChangeBudget, Limiter, MonthlyQuota, PreviewBudget, ProbeBudget, ResourceReservations],
})
export class LimitsModule {}
