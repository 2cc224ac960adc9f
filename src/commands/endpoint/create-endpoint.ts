import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointCreated } from '../../domain/endpoint/endpoint.events.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection } from '../../kernel/result.js';
import { FindMissingIds } from '../../projections/discovery/discovery.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { type CommandOutcome, latestCompleted, toOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';
import { rejectDeletedOwner } from '../deletion/reject-deleted-owner.js';
import { COMMAND_MESSAGES } from '../messages.js';
import { rejectOtherPlans } from '../owner/reject-other-plans.js';
import { CappedCreation } from '../resource-cap/capped-creation.js';
import { storeSigningSecret } from '../store-signing-secret.js';
import { rejectUnknownIds } from '../unknown-ids.js';

/**
 * Creates an owner's endpoint, within the plan's cap (D-67). A live endpoint needs a plan with webhook input (D-12).
 */
export class CreateEndpoint extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly endpoint: Omit<EndpointCreated['data'], 'signingSecretId'> & { readonly signingSecret: string },
    /** Plans with webhook input, from the limits profile. */
    readonly inputPlans: readonly Plan[],
  ) {
    super();
  }
}

@CommandHandler(CreateEndpoint)
export class CreateEndpointHandler implements ICommandHandler<CreateEndpoint> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly findMissingIds: FindMissingIds,
    private readonly deletions: Deletions,
    private readonly capped: CappedCreation,
  ) {}

  async execute(command: CreateEndpoint): Promise<CommandOutcome> {
    const { inputPlans } = command;
    const { endpointId: id, ownerId, settings, mode } = command.endpoint;
    const missing = await this.findMissingIds.execute('project', ownerId, settings.projectIds);
    if (missing.length > 0) return rejectUnknownIds('project_ids', missing);
    const rejection =
      (await rejectDeletedOwner(this.aggregates, ownerId)) ??
      (mode === 'live'
        ? await rejectOtherPlans(this.aggregates, ownerId, inputPlans, COMMAND_MESSAGES.planWithoutInput)
        : null);
    if (rejection) return rejection;
    return this.capped.createWithinCap({ endpoints: ownerId }, { ownerId, id }, () => this.create(command));
  }

  private async create({ context, endpoint: { signingSecret, ...rest } }: CreateEndpoint): Promise<CommandOutcome> {
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
