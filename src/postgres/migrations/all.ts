import type { Migration } from '../migrations.js';
import { setting } from './0001-setting.js';
import { operations } from './0002-operations.js';
import { limits } from './0003-limits.js';
import { quotaHolds } from './0004-quota-holds.js';
import { recentKeys } from './0005-recent-keys.js';
import { pace } from './0006-pace.js';
import { shortBursts } from './0007-short-bursts.js';
import { knownKeys } from './0008-known-keys.js';
import { settledPlans } from './0009-settled-plans.js';
import { appendConditions } from './0010-append-conditions.js';
import { leaseTerms } from './0011-lease-terms.js';

/** Every migration in order. A new one is appended; none is ever changed or taken out. */
export const migrations: readonly Migration[] = [
  setting,
  operations,
  limits,
  quotaHolds,
  recentKeys,
  pace,
  shortBursts,
  knownKeys,
  settledPlans,
  appendConditions,
  leaseTerms,
];
