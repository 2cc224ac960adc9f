import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Plan } from '../../domain/owner/owner.events.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import type { WebhookOutputCreated } from '../../domain/webhook-output/webhook-output.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection, reject } from '../../kernel/result.js';
import { FindResource } from '../../projections/discovery/discovery.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';
import { COMMAND_MESSAGES } from '../messages.js';
import { rejectOtherPlans } from '../owner/reject-other-plans.js';
import { CappedCreation } from '../resource-cap/capped-creation.js';
import { storeSigningSecret } from '../store-signing-secret.js';

/**
 * Creates a webhook output for a project (D-29). The output belongs to the project's owner: the owner's plan must
 * include webhook outputs, and the output counts against the plan's caps (D-67, D-82).
 */
export class CreateWebhookOutput extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly output: Omit<WebhookOutputCreated['data'], 'ownerId' | 'signingSecretId'> & {
      readonly signingSecret: string;
    },
    /** The owner who makes the request; null for the operator. */
    readonly callerId: string | null,
    /** Plans with webhook output, from the limits profile. */
    readonly outputPlans: readonly Plan[],
  ) {
    super();
  }
}

@CommandHandler(CreateWebhookOutput)
export class CreateWebhookOutputHandler implements ICommandHandler<CreateWebhookOutput> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly findResource: FindResource,
    private readonly deletions: Deletions,
    private readonly capped: CappedCreation,
  ) {}

  async execute(command: CreateWebhookOutput): Promise<CommandOutcome> {
    const { callerId, outputPlans } = command;
    const { outputId: id, projectId } = command.output;
    const project = await this.findResource.execute('project', projectId, callerId);
    if (!project)
      return reject('unknown_ids', COMMAND_MESSAGES.unknownIds({ ids: projectId }), { project_id: projectId });
    const ownerId = project.owner_id;
    const { planWithoutOutput } = COMMAND_MESSAGES;
    const rejection = await rejectOtherPlans(this.aggregates, ownerId, outputPlans, planWithoutOutput);
    if (rejection) return rejection;
    const places = { webhookOutputs: ownerId, outputsPerProject: projectId };
    return this.capped.createWithinCap(places, { ownerId, id }, () => this.create(command, ownerId));
  }

  private async create(
    { context, output: { signingSecret, ...rest } }: CreateWebhookOutput,
    ownerId: string,
  ): Promise<CommandOutcome> {
    const { outputId, projectId } = rest;
    const signingSecretId = await storeSigningSecret(this.vault, webhookOutput, outputId, signingSecret, context);
    const command = { type: 'CreateOutput', ...rest, ownerId, signingSecretId } as const;
    const created = toOutcome(await this.aggregates.execute(webhookOutput, outputId, command, context));
    if (isRejection(created)) return created;
    return (await this.deletions.verifyNewOutput({ outputId, ownerId, projectId }, context)) ?? created;
  }
}
