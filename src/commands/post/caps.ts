import { Inject, Injectable } from '@nestjs/common';
import type { LimitsProfile } from '../../config/limits-profile.js';
import { LIMITS_PROFILE } from '../../config/tokens.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { EVENT_STORE, type EventStore, NotAppended } from '../../event-store/port.js';
import type { Clock } from '../../kernel/clock.js';
import { reject, type Rejection } from '../../kernel/result.js';
import { ResourceReservations } from '../../limits/resource-reservations.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { COMMAND_MESSAGES } from '../messages.js';

/**
 * Deadline for accepting a post. It is measured with two clocks, because the monotonic clock stops while the machine is
 * suspended and the wall clock may be set back.
 */
export class AcceptanceLimit {
  private readonly startedAt = performance.now();
  private readonly startedOn: number;

  /** @param limitMs time from now to the deadline, in ms */
  constructor(
    private readonly limitMs: number,
    private readonly clock: Clock,
  ) {
    this.startedOn = clock.now();
  }

  /** Checks the deadline; call directly before an append. @throws NotAppended if the time is up */
  check(): void {
    const passed = Math.max(performance.now() - this.startedAt, this.clock.now() - this.startedOn);
    if (passed > this.limitMs) throw new NotAppended('the post was not accepted in time; send it again');
  }
}

/** The owner of a post that is about to be planned, and its plan. */
interface PlannedFor {
  readonly owner_id: string;
  readonly plan: Plan;
}

/**
 * Keeps owners within the cap of their plan on planned posts (D-79). Each post reserves a place, which counts until the
 * read model shows the post, so the cap holds for concurrent posts in all processes.
 */
@Injectable()
export class PlannedCap {
  constructor(
    private readonly reservations: ResourceReservations,
    private readonly progress: ProjectionProgress,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(LIMITS_PROFILE) private readonly profile: LimitsProfile,
  ) {}

  /** Reserves a place. Returns null if there is no cap, or a rejection if it is reached. */
  async reserve(
    { owner_id, plan }: PlannedFor,
    postId: string,
  ): Promise<Rejection<'resource_limit'> | { release(): void } | null> {
    const allowed = this.profile.plans[plan].resources.plannedPosts;
    if (allowed === null) return null;
    const { isReserved, existing } = await this.reservations.reservePlannedPost(owner_id, postId, allowed);
    if (isReserved) return { release: () => void this.release(postId).catch(() => undefined) };
    const message = COMMAND_MESSAGES.resourceLimit({ existing, resource: 'planned posts', plan, allowed });
    return reject('resource_limit', message, { resource: 'planned_posts', existing, allowed, plan });
  }

  /** Releases a reservation once the read model shows the post; otherwise it expires. */
  private async release(postId: string): Promise<void> {
    if (await this.progress.waitFor(['planned-posts'], await this.store.readHead()))
      await this.reservations.release(postId);
  }
}

/** Maximum number of targets per post: the targets and a payload must fit into one append (D-42). */
export const MAX_TARGETS = 5_000;

/**
 * Returns a rejection if a post addresses too many channels, else null (D-67).
 * @param cap the plan's cap; null if only {@link MAX_TARGETS} applies
 */
export const rejectTooManyTargets = (addressed: number, cap: number | null): Rejection<'too_many_targets'> | null => {
  const allowed = Math.min(cap ?? MAX_TARGETS, MAX_TARGETS);
  if (addressed <= allowed) return null;
  const message = COMMAND_MESSAGES.tooManyTargets({ addressed, allowed });
  return reject('too_many_targets', message, { targets: addressed, targets_per_post: allowed });
};
