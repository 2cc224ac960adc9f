import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { inputPlansOf, monthlyPostsOf } from '../../config/limits-profile.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import type { OwnerRow } from '../../projections/discovery/discovery.tables.js';
import { FindPostsLeft, type PostsLeft } from '../../projections/posts/usage.queries.js';

/** The plans' figures as this deployment has them (D-15, D-18). */
@Injectable()
export class Quotas {
  /** Plans with webhook input. */
  readonly inputPlans: readonly Plan[];
  private readonly monthlyPosts: Readonly<Record<Plan, number | null>>;

  constructor(
    @Inject(SETTINGS) { limitsProfile }: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly queries: QueryBus,
  ) {
    this.inputPlans = inputPlansOf(limitsProfile);
    this.monthlyPosts = monthlyPostsOf(limitsProfile);
  }

  /** What these owners have used of their month and have left, by owner. */
  of(owners: readonly Pick<OwnerRow, 'owner_id' | 'plan' | 'pack_posts'>[]): Promise<Map<string, PostsLeft>> {
    return this.queries.execute(new FindPostsLeft(owners, this.clock.now(), this.monthlyPosts));
  }
}
