import { owner } from '../../domain/owner/owner.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import { isRejection, reject } from '../../kernel/result.js';
import type { ResourceReservations } from '../../limits/resource-reservations.js';
import type { ProjectionProgress } from '../../projections/engine/progress.js';
import type { CommandOutcome } from '../command-result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/** Names of the capped resources: in code, in the API, in the read model `discovery`, and in a sentence. */
const CAPPED = {
  channels: { field: 'channels', table: 'channel', words: 'channels' },
  projects: { field: 'projects', table: 'project', words: 'projects' },
  endpoints: { field: 'endpoints', table: 'endpoint', words: 'endpoints' },
  webhookOutputs: { field: 'webhook_outputs', table: 'webhook_output', words: 'webhook outputs' },
} as const;

/** A type of resource that is capped per owner. */
export type CappedResource = keyof typeof CAPPED;

/** The caps of each plan; null if unlimited. */
export type CapsByPlan = Readonly<Record<Plan, Readonly<Record<CappedResource, number | null>>>>;

/**
 * Creates resources within the caps of their owner's plan (D-67, ADR-209). Each creation first makes a reservation,
 * which counts until the read model shows the resource, so the cap holds for concurrent creations in all processes.
 */
export class CappedCreation {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly reservations: ResourceReservations,
    private readonly progress: ProjectionProgress,
    private readonly caps: CapsByPlan,
  ) {}

  /**
   * Creates a resource, or rejects it with `resource_limit` if the owner has already reached the plan's cap. The same
   * id counts once. The plan is read from the owner's stream, not from a read model.
   * @throws Unavailable
   */
  async createWithinCap(
    resource: CappedResource,
    { ownerId, id }: { readonly ownerId: string; readonly id: string },
    create: () => Promise<CommandOutcome>,
  ): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(owner, ownerId);
    const allowed = state ? this.caps[state.plan][resource] : null; // the creation rejects an unknown owner
    if (!state || allowed === null) return create();
    const { field, table, words } = CAPPED[resource];
    const { isReserved, existing } = await this.reservations.reserve({ ownerId, table, id }, allowed);
    if (!isReserved) {
      const message = COMMAND_MESSAGES.resourceLimit({ existing, resource: words, plan: state.plan, allowed });
      return reject('resource_limit', message, { resource: field, existing, allowed, plan: state.plan });
    }
    // If the creation throws or the process dies, the reservation is left to expire, because the resource may exist.
    const outcome = await create();
    const isCounted = isRejection(outcome) || (await this.progress.waitFor(['discovery'], outcome.position));
    if (isCounted) await this.reservations.release(id);
    return outcome;
  }
}
