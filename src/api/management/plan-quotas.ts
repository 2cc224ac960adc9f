import { Inject, Injectable } from '@nestjs/common';
import { monthlyPostsOf, plansWithInput, plansWithOutput } from '../../config/limits-profile.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import type { MonthlyPosts, PostsLeft } from '../../domain/owner/monthly-quota.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { OwnerRow } from '../../projections/discovery/discovery.tables.js';
import { FindPostsLeft } from '../../projections/posts/usage.queries.js';

/** The allowances of each plan in this deployment: webhook input, webhook output and monthly posts (D-15, D-18). */
@Injectable()
export class PlanQuotas {
  /** Plans with webhook input. */
  readonly inputPlans: readonly Plan[];
  /** Plans with webhook output. */
  readonly outputPlans: readonly Plan[];
  private readonly monthlyPosts: MonthlyPosts;

  constructor(
    @Inject(SETTINGS) { limitsProfile }: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly findPostsLeftQuery: FindPostsLeft,
  ) {
    this.inputPlans = plansWithInput(limitsProfile);
    this.outputPlans = plansWithOutput(limitsProfile);
    this.monthlyPosts = monthlyPostsOf(limitsProfile);
  }

  /** Returns how many posts each of these owners has used and has left this month, by owner id. */
  findPostsLeft(
    owners: readonly Pick<OwnerRow, 'owner_id' | 'plan' | 'pack_posts'>[],
  ): Promise<Map<string, PostsLeft>> {
    return this.findPostsLeftQuery.execute(owners, this.clock.now(), this.monthlyPosts);
  }
}
