import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { project } from '../../domain/project/project.decider.js';
import type { ProjectCreated } from '../../domain/project/project.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection } from '../../kernel/result.js';
import { FindMissingIds } from '../../projections/discovery/discovery.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { type CommandOutcome, latestCompleted, toOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';
import { rejectDeletedOwner } from '../deletion/reject-deleted-owner.js';
import { CappedCreation } from '../resource-cap/capped-creation.js';
import { rejectUnknownIds } from '../unknown-ids.js';
import { sealProcessing, type UnsealedProcessing } from './seal-processing.js';

/** Creates a project for an owner, within its plan's cap (D-67). */
export class CreateProject extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly project: Omit<ProjectCreated['data'], 'processing'> & { readonly processing: UnsealedProcessing },
  ) {
    super();
  }
}

@CommandHandler(CreateProject)
export class CreateProjectHandler implements ICommandHandler<CreateProject> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly findMissingIds: FindMissingIds,
    private readonly deletions: Deletions,
    private readonly capped: CappedCreation,
  ) {}

  async execute(command: CreateProject): Promise<CommandOutcome> {
    const { ownerId, projectId: id, channelIds } = command.project;
    const missing = await this.findMissingIds.execute('channel', ownerId, channelIds);
    if (missing.length > 0) return rejectUnknownIds('channel_ids', missing);
    const rejection = await rejectDeletedOwner(this.aggregates, ownerId);
    if (rejection) return rejection;
    return this.capped.createWithinCap({ projects: ownerId }, { ownerId, id }, () => this.create(command));
  }

  private async create({
    context,
    project: { processing: unsealed, ...rest },
  }: CreateProject): Promise<CommandOutcome> {
    const processing = await sealProcessing(this.vault, unsealed, {}, rest.projectId, context);
    const command = { type: 'CreateProject', ...rest, processing } as const;
    const created = toOutcome(await this.aggregates.execute(project, rest.projectId, command, context));
    if (isRejection(created)) return created;
    const verified = await this.deletions.verifyNewProject(rest, context);
    return isRejection(verified) ? verified : latestCompleted([created, verified]);
  }
}
