import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import type { Processing } from '../../domain/project/processing.js';
import { project } from '../../domain/project/project.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { isRejection, reject } from '../../kernel/result.js';
import { FindMissingIds } from '../../projections/discovery/discovery.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { latestCompleted, toOutcome, type CommandOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';
import { type UnsealedProcessing, sealProcessing } from './seal-processing.js';
import { rejectUnknownIds } from '../unknown-ids.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';

/** Changes a project's name, channels or processing; undefined fields stay as they are. */
export class ChangeProject extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly change: {
      readonly name?: string;
      readonly channelIds?: readonly string[];
      readonly processing?: UnsealedProcessing;
    },
  ) {
    super();
  }
}

@CommandHandler(ChangeProject)
export class ChangeProjectHandler implements ICommandHandler<ChangeProject> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly queries: QueryBus,
    private readonly deletions: Deletions,
  ) {}

  async execute({
    context,
    projectId,
    change: { name, channelIds, processing: unsealed },
  }: ChangeProject): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(project, projectId);
    if (!state) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'project' }));
    const missing = channelIds
      ? await this.queries.execute(new FindMissingIds('channel', state.ownerId, channelIds))
      : [];
    if (missing.length > 0) return rejectUnknownIds('channel_ids', missing);
    // The cast is safe: events hold only processing that the management API has validated.
    const current = state.processing as unknown as Processing;
    const processing = unsealed && (await sealProcessing(this.vault, unsealed, current, projectId, context));
    const command = { type: 'ChangeProject', projectId, name, channelIds, processing } as const;
    const changed = toOutcome(await this.aggregates.execute(project, projectId, command, context));
    if (isRejection(changed) || !channelIds) return changed;
    return latestCompleted([changed, await this.deletions.dropDeletedChannels(projectId, channelIds, context)]);
  }
}
