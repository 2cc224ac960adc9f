import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointSettings } from '../../domain/endpoint/endpoint.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { isRejection, reject } from '../../kernel/result.js';
import { FindMissingIds } from '../../projections/discovery/discovery.queries.js';
import { type CommandOutcome, latestCompleted, toOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';
import { rejectUnknownIds } from '../unknown-ids.js';

/** Changes an endpoint's settings; undefined fields stay unchanged. */
export class ChangeEndpoint extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly endpointId: string,
    readonly settings: Partial<EndpointSettings>,
  ) {
    super();
  }
}

@CommandHandler(ChangeEndpoint)
export class ChangeEndpointHandler implements ICommandHandler<ChangeEndpoint> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly findMissingIds: FindMissingIds,
    private readonly deletions: Deletions,
  ) {}

  async execute({ context, endpointId, settings }: ChangeEndpoint): Promise<CommandOutcome> {
    if (settings.projectIds) {
      const { state } = await this.aggregates.loadAggregate(endpoint, endpointId);
      if (!state) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'endpoint' }));
      const missing = await this.findMissingIds.execute('project', state.ownerId, settings.projectIds);
      if (missing.length > 0) return rejectUnknownIds('project_ids', missing);
    }
    const command = { type: 'ChangeEndpoint', endpointId, settings } as const;
    const changed = toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
    if (isRejection(changed) || !settings.projectIds) return changed;
    const verified = await this.deletions.dropDeletedProjects(endpointId, settings.projectIds, context);
    return latestCompleted([changed, verified]);
  }
}
