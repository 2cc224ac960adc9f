import { Injectable } from '@nestjs/common';
import { webhookOutput, type WebhookOutputCommand } from '../domain/webhook-output/webhook-output.decider.js';
import type { WebhookKind, WebhookOutputCreated } from '../domain/webhook-output/webhook-output.events.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { RESOURCE_MESSAGES } from '../kernel/messages.js';
import { isRejection, reject } from '../kernel/result.js';
import { FindResource } from '../projections/discovery/discovery.queries.js';
import { SecretVault } from '../secrets/vault.js';
import { AggregateCommand, type CommandOutcome, storeSigningSecret, toOutcome } from './command.js';
import { Deletions } from './deletion.js';
import { COMMAND_MESSAGES, DISABLED_REASONS } from './messages.js';
import { CappedCreation, PlanAllowances } from './plan-limits.js';

/** Changes a webhook output's URL or kinds; undefined fields are unchanged. */
export class ChangeWebhookOutput extends AggregateCommand<WebhookOutputCommand> {
  constructor(
    context: CommandContext,
    outputId: string,
    change: { readonly url?: string | undefined; readonly kinds?: readonly WebhookKind[] | undefined },
  ) {
    super(context, webhookOutput, outputId, { type: 'ChangeOutput', outputId, ...change });
  }
}

/** A webhook output to create, with its signing secret not yet stored. */
export type NewOutput = Omit<WebhookOutputCreated['data'], 'ownerId' | 'signingSecretId'> & {
  readonly signingSecret: string;
};

/**
 * Creates a webhook output for a project (D-29). The output belongs to the project's owner: the owner's plan must
 * include webhook outputs, and the output counts against the plan's caps (D-67, D-82).
 */
@Injectable()
export class CreateWebhookOutput {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly findResource: FindResource,
    private readonly deletions: Deletions,
    private readonly plans: PlanAllowances,
    private readonly capped: CappedCreation,
  ) {}

  /** @param callerId the owner who makes the request; null for the operator */
  async execute(context: CommandContext, output: NewOutput, callerId: string | null): Promise<CommandOutcome> {
    const { outputId: id, projectId } = output;
    const project = await this.findResource.execute('project', projectId, callerId);
    if (!project)
      return reject('unknown_ids', COMMAND_MESSAGES.unknownIds({ ids: projectId }), { project_id: projectId });
    const ownerId = project.owner_id;
    const rejection = await this.plans.rejectWithoutOutput(ownerId);
    if (rejection) return rejection;
    const places = { webhookOutputs: ownerId, outputsPerProject: projectId };
    return this.capped.createWithinCap(places, { ownerId, id }, () => this.create(context, output, ownerId));
  }

  private async create(
    context: CommandContext,
    { signingSecret, ...rest }: NewOutput,
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

/** Deletes a webhook output: nothing more is delivered to it. */
export class DeleteWebhookOutput extends AggregateCommand<WebhookOutputCommand> {
  constructor(context: CommandContext, outputId: string) {
    super(context, webhookOutput, outputId, { type: 'DeleteOutput', outputId });
  }
}

/** Disables a webhook output at its owner's request: nothing is delivered to it. */
export class DisableOutputByOwner extends AggregateCommand<WebhookOutputCommand> {
  constructor(context: CommandContext, outputId: string) {
    const reason = DISABLED_REASONS.byOwner;
    super(context, webhookOutput, outputId, { type: 'DisableOutput', outputId, by: 'owner', reason });
  }
}

/** Enables a webhook output, regardless of who disabled it; the owner's plan must include webhook outputs. */
@Injectable()
export class EnableWebhookOutput {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly plans: PlanAllowances,
  ) {}

  async execute(context: CommandContext, outputId: string): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(webhookOutput, outputId);
    if (!state) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'webhook output' }));
    const rejection = await this.plans.rejectWithoutOutput(state.ownerId);
    if (rejection) return rejection;
    const command = { type: 'EnableOutput', outputId } as const;
    return toOutcome(await this.aggregates.execute(webhookOutput, outputId, command, context));
  }
}

/** Replaces a webhook output's signing secret; deliveries are also signed with the old one for an overlap period (D-40). */
@Injectable()
export class RotateOutputSecret {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
  ) {}

  /** @param overlapMs how long deliveries are also signed with the old secret, in ms; 0 if they are not */
  async execute(
    context: CommandContext,
    outputId: string,
    signingSecret: string,
    overlapMs: number,
  ): Promise<CommandOutcome> {
    const signingSecretId = await storeSigningSecret(this.vault, webhookOutput, outputId, signingSecret, context);
    const previousUntil = context.at + overlapMs;
    const command = { type: 'RotateOutputSecret', outputId, signingSecretId, previousUntil } as const;
    return toOutcome(await this.aggregates.execute(webhookOutput, outputId, command, context));
  }
}
