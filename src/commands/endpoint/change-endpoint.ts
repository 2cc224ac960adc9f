import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointSettings } from '../../domain/endpoint/endpoint.events.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { reject } from '../../kernel/result.js';
import { FindMissing } from '../../projections/discovery/discovery.queries.js';
import { done, type Outcome } from '../command-result.js';
import { unknownIds } from '../unknown-ids.js';

/** An endpoint's settings; what is undefined stays. */
export class ChangeEndpoint extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly endpointId: string,
    readonly settings: Partial<EndpointSettings>,
  ) {
    super();
  }
}

@CommandHandler(ChangeEndpoint)
export class ChangeEndpointHandler implements ICommandHandler<ChangeEndpoint> {
  constructor(
    private readonly streams: Streams,
    private readonly queries: QueryBus,
  ) {}

  async execute({ execution, endpointId, settings }: ChangeEndpoint): Promise<Outcome> {
    if (settings.projectIds) {
      const { state } = await this.streams.load(endpoint, endpointId);
      if (!state) return reject('not_found', 'There is no such endpoint.');
      const missing = await this.queries.execute(new FindMissing('project', state.ownerId, settings.projectIds));
      if (missing.length > 0) return unknownIds('project_ids', missing);
    }
    const command = { type: 'ChangeEndpoint', endpointId, settings } as const;
    return done(await this.streams.run(endpoint, endpointId, command, execution));
  }
}
