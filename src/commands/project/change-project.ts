import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Processing } from '../../domain/project/processing.js';
import { project } from '../../domain/project/project.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { isRejection, reject } from '../../kernel/result.js';
import { FindMissingIds } from '../../projections/discovery/discovery.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { type CommandOutcome, latestCompleted, toOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';
import { rejectUnknownIds } from '../unknown-ids.js';
import { sealProcessing, type UnsealedProcessing } from './seal-processing.js';

/** Changes a project's name, channels or processing; undefined fields are unchanged. */
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
    private readonly findMissingIds: FindMissingIds,
    private readonly deletions: Deletions,
  ) {}

  async execute({
    context,
    projectId,
    change: { name, channelIds, processing: unsealed },
  }: ChangeProject): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(project, projectId);
    if (!state) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'project' }));
    const missing = channelIds ? await this.findMissingIds.execute('channel', state.ownerId, channelIds) : [];
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
