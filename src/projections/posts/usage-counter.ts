import { largerPlan, ownerMonthKey, toMonth } from '../../domain/owner/monthly-quota.js';
import type { OwnerEvent } from '../../domain/owner/owner.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { Tx, Write } from '../engine/projection.js';
import { type RowCache, Rows } from '../engine/rows.js';
import { type OwnerPlanRow, ownerPlanRows, type UsageRow, usageRows } from './posts.tables.js';

/** Counts each owner's successful publications, month by month (publish-api.md: Limits; D-18). */
export class UsageCounter {
  private constructor(
    private readonly plans: Rows<OwnerPlanRow>,
    private readonly months: Rows<UsageRow>,
  ) {}

  /**
   * Loads the rows that a batch changes.
   * @param ownerIds owners in the batch's events
   * @param published publications in the batch's events, with their times
   */
  static async load(
    tx: Tx,
    ownerIds: readonly string[],
    published: readonly { readonly ownerId: string; readonly at: Instant }[],
    cache?: RowCache,
  ): Promise<UsageCounter> {
    const all = [...ownerIds, ...published.map(({ ownerId }) => ownerId)];
    const months = published.map(({ ownerId, at }) => ownerMonthKey(ownerId, at));
    return new UsageCounter(
      await Rows.load(tx, ownerPlanRows, all, cache),
      await Rows.load(tx, usageRows, months, cache),
    );
  }

  recordPlan(event: RecordedEventOf<OwnerEvent>): void {
    if (event.type !== 'OwnerRegistered' && event.type !== 'OwnerPlanChanged') return;
    this.plans.put({ owner_id: event.data.ownerId, plan: event.data.plan });
  }

  countPublication(ownerId: string, at: Instant, eventId: string): void {
    const key = ownerMonthKey(ownerId, at);
    const before = this.months.get(key);
    this.months.put({
      owner_month: key,
      owner_id: ownerId,
      month: toMonth(at),
      published: (before?.published ?? 0) + 1,
      plan: largerPlan(before?.plan ?? null, this.plans.get(ownerId)?.plan ?? null),
      last_event: eventId,
    });
  }

  takeWrites(): Write[] {
    return [...this.plans.takeWrites(), ...this.months.takeWrites()];
  }
}
