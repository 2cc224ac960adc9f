import { owner } from '../domain/owner/owner.decider.js';
import type { Plan } from '../domain/owner/owner.events.js';
import type { AggregateStore } from '../event-store/aggregate-store.js';
import { isRejection, reject } from '../kernel/result.js';
import type { ResourceReservations } from '../limits/resource-reservations.js';
import type { ProjectionProgress } from '../projections/engine/progress.js';
import type { CommandOutcome } from './command.js';
import { COMMAND_MESSAGES } from './messages.js';

/** Names of the capped resources: in code, in the API, in the read model `discovery`, and in a sentence. */
const CAPPED = {
  channels: { field: 'channels', kind: 'channel', words: 'channels' },
  projects: { field: 'projects', kind: 'project', words: 'projects' },
  endpoints: { field: 'endpoints', kind: 'endpoint', words: 'endpoints' },
  webhookOutputs: { field: 'webhook_outputs', kind: 'webhook_output', words: 'webhook outputs' },
  outputsPerProject: { field: 'outputs_per_project', kind: 'project_output', words: 'outputs in this project' },
} as const;

/** A type of resource that is capped per owner, or per project. */
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
