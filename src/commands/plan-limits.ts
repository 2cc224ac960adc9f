import { Inject, Injectable } from '@nestjs/common';
import { type LimitsProfile, plansWithInput, plansWithOutput, resourceCapsOf } from '../config/limits-profile.js';
import { LIMITS_PROFILE } from '../config/tokens.js';
import { owner } from '../domain/owner/owner.decider.js';
import type { Plan } from '../domain/owner/owner.events.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import { EVENT_STORE, type EventStore, NotAppended } from '../event-store/port.js';
import type { Clock } from '../kernel/clock.js';
import { isRejection, reject, type Rejection } from '../kernel/result.js';
import { ResourceReservations } from '../limits/resource-reservations.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import type { CommandOutcome } from './command.js';
import { COMMAND_MESSAGES } from './messages.js';

/** Names of the capped resources: in code, in the API, in the read model `discovery`, and in a sentence. */
const CAPPED = {
  channels: { field: 'channels', kind: 'channel', words: 'channels' },
  projects: { field: 'projects', kind: 'project', words: 'projects' },
  endpoints: { field: 'endpoints', kind: 'endpoint', words: 'endpoints' },
  webhookOutputs: { field: 'webhook_outputs', kind: 'webhook_output', words: 'webhook outputs' },
  outputsPerProject: { field: 'outputs_per_project', kind: 'project_output', words: 'outputs in this project' },
  keys: { field: 'keys', kind: 'key', words: 'keys' },
} as const;

/** A type of resource that is capped per owner, or per project. */
export type CappedResource = keyof typeof CAPPED;

/** The caps of each plan; null if unlimited. */
export type CapsByPlan = Readonly<Record<Plan, Readonly<Record<CappedResource, number | null>>>>;

/**
 * Creates resources within the caps of their owner's plan (D-67, ADR-209). Each creation first makes a reservation,
 * which counts until the read model shows the resource, so the cap holds for concurrent creations in all processes.
 */
@Injectable()
export class CappedCreation {
  private readonly caps: CapsByPlan;

  constructor(
    private readonly aggregates: AggregateStore,
    private readonly reservations: ResourceReservations,
    private readonly progress: ProjectionProgress,
    @Inject(LIMITS_PROFILE) profile: LimitsProfile,
  ) {
    this.caps = resourceCapsOf(profile);
  }

  /**
   * Creates a resource, or rejects it with `resource_limit` if its owner, or its project, has already reached a cap of
   * the plan. The same id counts once. The plan is read from the owner's stream, not from a read model.
   * @param places the caps that the resource counts against, each with the id of the owner or project
   * @throws Unavailable
   */
  async createWithinCap(
    places: Readonly<Partial<Record<CappedResource, string>>>,
    { ownerId, id }: { readonly ownerId: string; readonly id: string },
    create: () => Promise<CommandOutcome>,
  ): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(owner, ownerId);
    if (!state) return create(); // it rejects an unknown owner
    const capped = (Object.entries(places) as [CappedResource, string][]).flatMap(([resource, holderId]) => {
      const allowed = this.caps[state.plan][resource];
      return allowed === null ? [] : [{ ...CAPPED[resource], holderId, allowed }];
    });
    if (capped.length === 0) return create();
    for (const { field, kind, words, holderId, allowed } of capped) {
      const { isReserved, existing } = await this.reservations.reserve({ holderId, kind, id }, allowed);
      if (isReserved) continue;
      if (capped.length > 1) await this.reservations.release(id);
      const message = COMMAND_MESSAGES.resourceLimit({ existing, resource: words, plan: state.plan, allowed });
      return reject('resource_limit', message, { resource: field, existing, allowed, plan: state.plan });
    }
    // If the creation throws or the process dies, the reservations are left to expire, because the resource may exist.
    const outcome = await create();
    const isCounted = isRejection(outcome) || (await this.progress.waitFor(['discovery'], outcome.position));
    if (isCounted) await this.reservations.release(id);
    return outcome;
  }
}

/** What an owner's plan includes (D-8, D-12, D-47). Reads the owner's stream, not a read model. */
@Injectable()
export class PlanAllowances {
  /** Plans with webhook input. */
  readonly inputPlans: readonly Plan[];
  /** Plans with webhook outputs. */
  readonly outputPlans: readonly Plan[];

  constructor(
    private readonly aggregates: AggregateStore,
    @Inject(LIMITS_PROFILE) profile: LimitsProfile,
  ) {
    this.inputPlans = plansWithInput(profile);
    this.outputPlans = plansWithOutput(profile);
  }

  /** Returns null if an owner's plan includes webhook input, else a rejection; `figures` holds the plan. */
  rejectWithoutInput(ownerId: string): Promise<Rejection<'plan_not_allowed'> | null> {
    return this.rejectOtherPlans(ownerId, this.inputPlans, COMMAND_MESSAGES.planWithoutInput);
  }

  /** Returns null if an owner's plan includes webhook outputs, else a rejection; `figures` holds the plan. */
  rejectWithoutOutput(ownerId: string): Promise<Rejection<'plan_not_allowed'> | null> {
    return this.rejectOtherPlans(ownerId, this.outputPlans, COMMAND_MESSAGES.planWithoutOutput);
  }

  private async rejectOtherPlans(
    ownerId: string,
    plans: readonly Plan[],
    describe: (values: { readonly plan: string; readonly plans: string }) => string,
  ): Promise<Rejection<'plan_not_allowed'> | null> {
    const { state } = await this.aggregates.loadAggregate(owner, ownerId);
    if (state && plans.includes(state.plan)) return null;
    const plan = state?.plan ?? null;
    return reject('plan_not_allowed', describe({ plan: String(plan), plans: plans.join(', ') }), { plan });
  }
}

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
