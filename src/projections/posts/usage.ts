import { type OwnerEvent, PLANS, type Plan } from '../../domain/owner/owner.events.js';
import type { Instant } from '../../kernel/instant.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { KeptRows } from '../engine/row-cache.js';
import type { Tx } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import { ownerPlanRows, type OwnerPlanRow, usageRows, type UsageRow } from './posts.tables.js';

/** The UTC month of a moment, by which quotas count: `2026-11` (D-18). */
export const monthOf = (at: Instant): string => new Date(at).toISOString().slice(0, 7);

const keyOf = (ownerId: string, at: Instant): string => `${ownerId}/${monthOf(at)}`;

/** Counts each owner's successful publications, month by month (publish-api.md: Limits; D-18). */
export class Usage {
  private constructor(
    private readonly plans: Rows<OwnerPlanRow>,
    private readonly months: Rows<UsageRow>,
  ) {}

  /** @param ownerIds owners of whom a batch tells. @param published what it says was published, and when */
  static async load(
    tx: Tx,
    ownerIds: readonly string[],
    published: readonly { readonly ownerId: string; readonly at: Instant }[],
    kept?: KeptRows,
  ): Promise<Usage> {
    const all = [...ownerIds, ...published.map(({ ownerId }) => ownerId)];
    return new Usage(
      await Rows.load(tx, ownerPlanRows, all, kept),
      await Rows.load(
        tx,
        usageRows,
        published.map(({ ownerId, at }) => keyOf(ownerId, at)),
        kept,
      ),
    );
  }

  /** An owner came, or changed its plan. */
  note(event: RecordedEventOf<OwnerEvent>): void {
    if (event.type !== 'OwnerRegistered' && event.type !== 'OwnerPlanChanged') return;
    this.plans.put({ owner_id: event.data.ownerId, plan: event.data.plan });
  }

  /** Something of an owner's was published. */
  count(ownerId: string, at: Instant, eventId: string): void {
    const key = keyOf(ownerId, at);
    const before = this.months.get(key);
    this.months.put({
      owner_month: key,
      owner_id: ownerId,
      month: monthOf(at),
      published: (before?.published ?? 0) + 1,
      plan: larger(before?.plan ?? null, this.plans.get(ownerId)?.plan ?? null),
      last_event: eventId,
    });
  }

  async flush(): Promise<void> {
    await this.plans.flush();
    await this.months.flush();
  }
}

/** A change of plan within a month takes nothing away from what was published under the larger one. */
const larger = (a: Plan | null, b: Plan | null): Plan | null => {
  if (a === null || b === null) return a ?? b;
  return PLANS.indexOf(a) >= PLANS.indexOf(b) ? a : b;
};
