import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import type { Processing } from '../../domain/project/processing.js';
import { project } from '../../domain/project/project.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { reject } from '../../kernel/result.js';
import { FindMissing } from '../../projections/discovery/discovery.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { done, type Outcome } from '../command-result.js';
import { type ProcessingDraft, sealedProcessing } from './sealed-processing.js';
import { unknownIds } from '../unknown-ids.js';

/** A project's name, channels or processing; what is undefined stays. */
export class ChangeProject extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly projectId: string,
    readonly change: {
      readonly name?: string;
      readonly channelIds?: readonly string[];
      readonly processing?: ProcessingDraft;
    },
  ) {
    super();
  }
}

@CommandHandler(ChangeProject)
export class ChangeProjectHandler implements ICommandHandler<ChangeProject> {
  constructor(
    private readonly streams: Streams,
    private readonly vault: SecretVault,
    private readonly queries: QueryBus,
  ) {}

  async execute({
    execution,
    projectId,
    change: { name, channelIds, processing: draft },
  }: ChangeProject): Promise<Outcome> {
    const { state } = await this.streams.load(project, projectId);
    if (!state) return reject('not_found', 'There is no such project.');
    const missing = channelIds ? await this.queries.execute(new FindMissing('channel', state.ownerId, channelIds)) : [];
    if (missing.length > 0) return unknownIds('channel_ids', missing);
    // Events hold what passed the checks of the management API, so what was stored is Processing.
    const before = state.processing as unknown as Processing;
    const processing = draft && (await sealedProcessing(this.vault, draft, before, execution));
    const command = { type: 'ChangeProject', projectId, name, channelIds, processing } as const;
    return done(await this.streams.run(project, projectId, command, execution));
  }
}
