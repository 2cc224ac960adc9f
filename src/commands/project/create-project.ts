import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { project } from '../../domain/project/project.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { isRejection } from '../../kernel/result.js';
import { FindMissingIds } from '../../projections/discovery/discovery.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { latestCompleted, toOutcome, type CommandOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';
import { rejectDeletedOwner } from '../deletion/reject-deleted-owner.js';
import { type UnsealedProcessing, sealProcessing } from './seal-processing.js';
import { rejectUnknownIds } from '../unknown-ids.js';

/** Creates a project of an owner. */
export class CreateProject extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly project: {
      readonly projectId: string;
      readonly ownerId: string;
      readonly name: string;
      readonly channelIds: readonly string[];
      readonly processing: UnsealedProcessing;
    },
  ) {
    super();
  }
}

@CommandHandler(CreateProject)
export class CreateProjectHandler implements ICommandHandler<CreateProject> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly queries: QueryBus,
    private readonly deletions: Deletions,
  ) {}

  async execute({ context, project: { processing: unsealed, ...rest } }: CreateProject): Promise<CommandOutcome> {
    const missing = await this.queries.execute(new FindMissingIds('channel', rest.ownerId, rest.channelIds));
    if (missing.length > 0) return rejectUnknownIds('channel_ids', missing);
    const rejection = await rejectDeletedOwner(this.aggregates, rest.ownerId);
    if (rejection) return rejection;
    const processing = await sealProcessing(this.vault, unsealed, {}, rest.projectId, context);
    const command = { type: 'CreateProject', ...rest, processing } as const;
    const created = toOutcome(await this.aggregates.execute(project, rest.projectId, command, context));
    if (isRejection(created)) return created;
    const verified = await this.deletions.verifyNewProject(rest, context);
    return isRejection(verified) ? verified : latestCompleted([created, verified]);
  }
}
