import type { Migration } from '../migrations.js';

/**
 * The limiter's calls are planned once for a connection. For a handful of posts the server took a plan made for just so
 * many to be worth its while, and made it anew each time: a lone post cost three times what it does now.
 */
export const settledPlans: Migration = {
  number: 9,
  name: 'settled-plans',
  sql: `
    -- What these call goes by the same setting.
    alter function ops_take_new_posts set plan_cache_mode = force_generic_plan;
    alter function ops_confirm_posts set plan_cache_mode = force_generic_plan;
    alter function ops_take_budgets set plan_cache_mode = force_generic_plan;
  `,
};
