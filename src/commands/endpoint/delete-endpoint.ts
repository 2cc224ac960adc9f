import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';

/**
 * Deletes an endpoint: its slug and token stop working, and its posts' planned and queued publications are cancelled.
 */
export class DeleteEndpoint extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly endpointId: string,
  ) {
    super();
  }
}

/** Appends the deletion, then completes it; after a crash, the saga `complete-deletions` does. */
@CommandHandler(DeleteEndpoint)
export class DeleteEndpointHandler implements ICommandHandler<DeleteEndpoint> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly deletions: Deletions,
  ) {}

  async execute({ context, endpointId }: DeleteEndpoint): Promise<CommandOutcome> {
    const command = { type: 'DeleteEndpoint', endpointId } as const;
    const deleted = toOutcome(await this.aggregates.execute(endpoint, endpointId, command, context));
    return this.deletions.completeNow(deleted, ({ position }) =>
      this.deletions.completeEndpoint(endpointId, position, context),
    );
  }
}
