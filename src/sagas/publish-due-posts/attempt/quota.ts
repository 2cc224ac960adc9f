import type { Pool } from 'pg';
import { owner as ownerDecider, type OwnerState } from '../../../domain/owner/owner.decider.js';
import type { Plan } from '../../../domain/owner/owner.events.js';
import { Remembered } from '../../../event-store/aggregate-cache.js';
import type { Loaded, Streams } from '../../../event-store/aggregate-store.js';
import type { Instant } from '../../../kernel/instant.js';
import { findUsage, postsLeft } from '../../../projections/posts/usage.queries.js';

/** Whether a publication may use one of its owner's posts of the month. */
export type Share =
  /** `isHeld`: it was set aside, and is given back where nothing is published. */
  | { readonly kind: 'taken'; readonly isHeld: boolean }
  /** As many are under way as are left: one of them may not come through. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'used_up'; readonly until: Instant; readonly ownerRevision: number };

/** How long an owner without a quota is taken to have none, ms: a smaller plan holds from then on. */
const TRUSTED_MS = 1_000;
const CACHE_SIZE = 10_000;

const UNLIMITED: Share = { kind: 'taken', isHeld: false };

/**
 * The monthly quota where posts are published (D-18, D-46), exact over all workers. Plan and packs are read from the
 * owner's own stream, so that whoever is woken by a change sees it. Owners without a quota cost a look a second.
 */
export class Quota {
  private readonly owners: Remembered<OwnerState>;
  private readonly unlimited = new Map<string, { readonly at: number; readonly isSo: Promise<boolean> }>();

  /** @param monthlyPosts the plans' quotas, as the limits profile has them; null: unlimited */
  constructor(
    private readonly pool: Pool,
    streams: Streams,
    private readonly monthlyPosts: Readonly<Record<Plan, number | null>>,
  ) {
    this.owners = new Remembered(streams, ownerDecider);
  }

  /** Sets a post aside for a publication. @throws Unavailable, and whatever the database does */
  async take(ownerId: string, publicationId: string, worker: string, now: Instant): Promise<Share> {
    if (await this.isUnlimited(ownerId)) return UNLIMITED;
    const owner = await this.owners.load(ownerId);
    if (!owner.state || !this.hasQuota(owner)) return UNLIMITED;
    const months = await findUsage(this.pool, [ownerId]);
    const { month, used, left, resetsAt } = postsLeft(months, owner.state, now, this.monthlyPosts);
    const { rows } = await this.pool.query<{ outcome: Share['kind'] }>({
      name: 'take quota',
      text: 'select ops_take_quota($1, $2, $3, $4, $5) as outcome',
      values: [ownerId, publicationId, worker, month, used + left!],
    });
    const { outcome } = rows[0]!;
    if (outcome === 'taken') return { kind: outcome, isHeld: true };
    if (outcome === 'busy') return { kind: outcome };
    return { kind: outcome, until: resetsAt, ownerRevision: Number(owner.revision) };
  }

  /** Gives back what a worker has set aside and not used. */
  async giveBack(publicationId: string, worker: string): Promise<void> {
    const text = 'delete from ops_quota_hold where publication_id = $1 and worker_id = $2';
    await this.pool.query({ name: 'give quota back', text, values: [publicationId, worker] });
  }

  /** Asks once for all that are being published at the moment. */
  private async isUnlimited(ownerId: string): Promise<boolean> {
    const known = this.unlimited.get(ownerId);
    if (known && performance.now() < known.at + TRUSTED_MS) return known.isSo;
    const isSo = this.owners.load(ownerId).then((owner) => !this.hasQuota(owner));
    if (this.unlimited.size >= CACHE_SIZE) this.unlimited.clear();
    this.unlimited.set(ownerId, { at: performance.now(), isSo });
    isSo.catch(() => this.unlimited.delete(ownerId));
    return isSo;
  }

  private hasQuota({ state }: Loaded<OwnerState>): boolean {
    return state !== null && this.monthlyPosts[state.plan] !== null;
  }
}
