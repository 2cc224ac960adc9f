import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { project } from '../../domain/project/project.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { FindMissing } from '../../projections/discovery/discovery.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { done, type Outcome } from '../command-result.js';
import { type ProcessingDraft, sealedProcessing } from './sealed-processing.js';
import { unknownIds } from '../unknown-ids.js';

/** A new project of an owner. */
export class CreateProject extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly project: {
      readonly projectId: string;
      readonly ownerId: string;
      readonly name: string;
      readonly channelIds: readonly string[];
      readonly processing: ProcessingDraft;
    },
  ) {
    super();
  }
}

@CommandHandler(CreateProject)
export class CreateProjectHandler implements ICommandHandler<CreateProject> {
  constructor(
    private readonly streams: Streams,
    private readonly vault: SecretVault,
    private readonly queries: QueryBus,
  ) {}

  async execute({ execution, project: { processing: draft, ...rest } }: CreateProject): Promise<Outcome> {
    const missing = await this.queries.execute(new FindMissing('channel', rest.ownerId, rest.channelIds));
    if (missing.length > 0) return unknownIds('channel_ids', missing);
    const processing = await sealedProcessing(this.vault, draft, {}, execution);
    const command = { type: 'CreateProject', ...rest, processing } as const;
    return done(await this.streams.run(project, rest.projectId, command, execution));
  }
}
