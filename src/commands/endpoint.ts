import { Inject, Injectable } from '@nestjs/common';
import { consoleEndpointId } from '../domain/endpoint/console-endpoint.js';
import { endpoint, type EndpointCommand } from '../domain/endpoint/endpoint.decider.js';
import type { DisabledBy, EndpointCreated, EndpointSettings } from '../domain/endpoint/endpoint.events.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import { type CommandContext, deriveEventId } from '../event-store/codec.js';
import { CLOCK, type Clock } from '../kernel/clock.js';
import { hasScope, streamOf } from '../kernel/events.js';
import { RESOURCE_MESSAGES } from '../kernel/messages.js';
import { isRejection, reject } from '../kernel/result.js';
import { FindApproval, FindMissingIds } from '../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { SecretVault } from '../secrets/vault.js';
import {
  AggregateCommand,
  type CommandOutcome,
  latestCompleted,
  originOfRequest,
  rejectUnknownIds,
  type RequestOrigin,
  storeSigningSecret,
  toOutcome,
} from './command.js';
import { Deletions, rejectDeletedOwner } from './deletion.js';
import { COMMAND_MESSAGES, DISABLED_REASONS } from './messages.js';
import { CappedCreation, PlanAllowances } from './plan-limits.js';

/** Changes an endpoint's settings; undefined fields stay unchanged. */
@Injectable()
export class ChangeEndpoint {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly findMissingIds: FindMissingIds,
    private readonly deletions: Deletions,
  ) {}

  async execute(
    context: CommandContext,
    endpointId: string,
    settings: Partial<EndpointSettings>,
  ): Promise<CommandOutcome> {
    return this.run(context, { type: 'ChangeEndpoint', endpointId, settings }, settings.projectIds);
  }

  /** Adds projects to those that the endpoint has. */
  async addProjects(
    context: CommandContext,
    endpointId: string,
    projectIds: readonly string[],
  ): Promise<CommandOutcome> {
    return this.run(context, { type: 'AddProjects', endpointId, projectIds }, projectIds);
  }

  private async run(
    context: CommandContext,
    command: Extract<EndpointCommand, { type: 'ChangeEndpoint' | 'AddProjects' }>,
    projectIds: readonly string[] | undefined,
  ): Promise<CommandOutcome> {
    const { endpointId } = command;
    if (projectIds) {
      const { state } = await this.aggregates.loadAggregate(endpoint, endpointId);
      if (!state) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'endpoint' }));
      const missing = await this.findMissingIds.execute('project', state.ownerId, projectIds);
      if (missing.length > 0) return rejectUnknownIds('project_ids', missing);
    }
    const changed = toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
    if (isRejection(changed) || !projectIds) return changed;
    const verified = await this.deletions.dropDeletedProjects(endpointId, projectIds, context);
    return latestCompleted([changed, verified]);
  }
}

/** An endpoint to create, whose signing secret is not stored yet. */
export type NewEndpoint = Omit<EndpointCreated['data'], 'signingSecretId'> & { readonly signingSecret: string };

/** Creates an owner's endpoint, within the plan's cap (D-67). A live endpoint needs a plan with webhook input (D-12). */
@Injectable()
export class CreateEndpoint {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly findMissingIds: FindMissingIds,
    private readonly deletions: Deletions,
    private readonly plans: PlanAllowances,
    private readonly capped: CappedCreation,
  ) {}

  async execute(context: CommandContext, endpoint: NewEndpoint): Promise<CommandOutcome> {
    const { endpointId: id, ownerId, settings, mode } = endpoint;
    const missing = await this.findMissingIds.execute('project', ownerId, settings.projectIds);
    if (missing.length > 0) return rejectUnknownIds('project_ids', missing);
    const rejection =
      (await rejectDeletedOwner(this.aggregates, ownerId)) ??
      (mode === 'live' ? await this.plans.rejectWithoutInput(ownerId) : null);
    if (rejection) return rejection;
    return this.capped.createWithinCap({ endpoints: ownerId }, { ownerId, id }, () => this.create(context, endpoint));
  }

  private async create(context: CommandContext, { signingSecret, ...rest }: NewEndpoint): Promise<CommandOutcome> {
    const { endpointId, ownerId, settings } = rest;
    const signingSecretId = await storeSigningSecret(this.vault, endpoint, endpointId, signingSecret, context);
    const command = { type: 'CreateEndpoint', ...rest, signingSecretId } as const;
    const created = toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
    if (isRejection(created)) return created;
    const verified = await this.deletions.verifyNewEndpoint(
      { endpointId, ownerId, projectIds: settings.projectIds },
      context,
    );
    return isRejection(verified) ? verified : latestCompleted([created, verified]);
  }
}

/** An endpoint to be created, without what its command decides. */
export type NewConsoleEndpoint = Omit<NewEndpoint, 'endpointId' | 'mode'>;

/**
 * Returns the endpoint through which the console publishes an owner's posts, with at least the given projects. Creates
 * it when it is first needed, once, even if several processes ask at the same time.
 */
@Injectable()
export class OpenConsoleEndpoint {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly createEndpoint: CreateEndpoint,
    private readonly changeEndpoint: ChangeEndpoint,
    private readonly findApproval: FindApproval,
  ) {}

  async execute(
    context: CommandContext,
    wanted: NewConsoleEndpoint,
  ): Promise<{ readonly id: string; readonly outcome: CommandOutcome }> {
    for (let generation = 0; ;) {
      const id = consoleEndpointId(wanted.ownerId, generation);
      const { state } = await this.aggregates.loadAggregate(endpoint, id);
      if (state?.deleted) {
        generation++;
        continue;
      }
      const { projectIds } = wanted.settings;
      if (state) {
        const added = projectIds.filter((each) => !state.settings.projectIds.includes(each));
        if (!state.settings.requiresApproval && (await this.evadesApproval(context, wanted.ownerId, added)))
          return { id, outcome: reject('missing_scope', COMMAND_MESSAGES.evadesApproval, { needed: 'approve' }) };
        return { id, outcome: await this.changeEndpoint.addProjects(context, id, projectIds) };
      }
      const requiresApproval = await this.evadesApproval(context, wanted.ownerId, projectIds);
      const settings = { ...wanted.settings, requiresApproval };
      const created = { ...wanted, settings, endpointId: id, mode: 'live' as const };
      const outcome = await this.createEndpoint.execute(context, created);
      // Someone else has just created it.
      if (isRejection(outcome) && outcome.rejection === 'already_exists') continue;
      return { id, outcome };
    }
  }

  /** True if a key could publish to these projects without the approval that another endpoint requires from it. */
  private async evadesApproval(
    { rights }: CommandContext,
    ownerId: string,
    projectIds: readonly string[],
  ): Promise<boolean> {
    return (
      rights !== undefined && !hasScope(rights.scopes, 'approve') && this.findApproval.execute(ownerId, projectIds)
    );
  }
}

/**
 * Deletes an endpoint: its slug and token stop working, and its posts' planned and queued publications are cancelled.
 *
 * Appends the deletion, then completes it; after a crash, the saga `complete-deletions` does.
 */
@Injectable()
export class DeleteEndpoint {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly deletions: Deletions,
  ) {}

  async execute(context: CommandContext, endpointId: string): Promise<CommandOutcome> {
    const command = { type: 'DeleteEndpoint', endpointId } as const;
    const deleted = toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
    return this.deletions.completeNow(deleted, ({ position }) =>
      this.deletions.completeEndpoint(endpointId, position, context),
    );
  }
}

/** Disables an endpoint at its owner's request; requests then get a 403 (D-8). */
export class DisableEndpointByOwner extends AggregateCommand<EndpointCommand> {
  constructor(context: CommandContext, endpointId: string) {
    const reason = DISABLED_REASONS.byOwner;
    super(context, endpoint, endpointId, { type: 'DisableEndpoint', endpointId, by: 'owner', reason });
  }
}

/** Returns the same command id in every process, so an endpoint is disabled at most once each time it is enabled. */
export const disableCommandId = (endpointId: string, by: Exclude<DisabledBy, 'owner'>, epoch: string): string =>
  `disable/${endpointId}/${by}/${epoch}`;

/** Maximum time to delay the rejection until the read model shows the endpoint as disabled, in ms. */
const READ_MODEL_TIMEOUT_MS = 1_000;

/**
 * Disables an endpoint on the gateway's own initiative (D-8), at most once each time it is enabled: a late retry by a
 * suspended process cannot disable an endpoint that its owner has since enabled again.
 */
@Injectable()
export class DisableEndpoint {
  constructor(
    private readonly aggregates: AggregateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly progress: ProjectionProgress,
  ) {}

  /**
   * @param epoch position of the event that last enabled it
   * @param request the request that caused the decision
   * @returns the id of the event that disabled it; null if this call did not disable it
   */
  async execute(
    endpointId: string,
    by: Exclude<DisabledBy, 'owner'>,
    epoch: string,
    reason: string,
    request: RequestOrigin,
  ): Promise<string | null> {
    const commandId = disableCommandId(endpointId, by, epoch);
    const command = { type: 'DisableEndpoint', endpointId, by, reason } as const;
    const context = { ...originOfRequest({ actor: 'system:gate' }, request), commandId, at: this.clock.now() };
    const decided = await this.aggregates.execute(endpoint, endpointId, command, context);
    if (isRejection(decided) || decided.events.length === 0) return null;
    await this.progress.waitFor(['discovery'], decided.aggregate.position, READ_MODEL_TIMEOUT_MS);
    return deriveEventId(commandId, streamOf(endpoint, endpointId), 0);
  }
}

/** Enables an endpoint, regardless of who disabled it; a live endpoint needs a plan with webhook input (D-47). */
@Injectable()
export class EnableEndpoint {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly plans: PlanAllowances,
  ) {}

  async execute(context: CommandContext, endpointId: string): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(endpoint, endpointId);
    if (!state) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'endpoint' }));
    const rejection = state.mode === 'live' ? await this.plans.rejectWithoutInput(state.ownerId) : null;
    if (rejection) return rejection;
    const command = { type: 'EnableEndpoint', endpointId } as const;
    return toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
  }
}

/**
 * Replaces an endpoint's slug, at most once in 24 hours; the old one stops working at once (publish-api.md: Inbound
 * endpoint).
 */
export class RotateEndpointSlug extends AggregateCommand<EndpointCommand> {
  constructor(context: CommandContext, endpointId: string, slug: string) {
    super(context, endpoint, endpointId, { type: 'RotateSlug', endpointId, slug, at: context.at });
  }
}

/** Replaces an endpoint's token; the old one stops working at once (publish-api.md: Authentication, 3). */
export class RotateEndpointToken extends AggregateCommand<EndpointCommand> {
  /** @param tokenHash SHA-256, hex */
  constructor(context: CommandContext, endpointId: string, tokenHash: string) {
    super(context, endpoint, endpointId, { type: 'RotateToken', endpointId, tokenHash });
  }
}

/** Replaces an endpoint's signing secret; the old one stays valid for an overlap period (D-40). */
@Injectable()
export class RotateSigningSecret {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
  ) {}

  /** @param overlapMs how long the old secret stays valid, in ms; 0 if it expires at once */
  async execute(
    context: CommandContext,
    endpointId: string,
    signingSecret: string,
    overlapMs: number,
  ): Promise<CommandOutcome> {
    const signingSecretId = await storeSigningSecret(this.vault, endpoint, endpointId, signingSecret, context);
    const previousUntil = context.at + overlapMs;
    const command = { type: 'RotateSigningSecret', endpointId, signingSecretId, previousUntil } as const;
    return toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
  }
}
