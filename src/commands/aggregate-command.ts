import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import type { Decider } from '../kernel/decider.js';
import type { DomainEvent } from '../kernel/events.js';
import { type CommandOutcome, toOutcome } from './command-result.js';

/** A command that needs only its aggregate. Subclasses have no handler of their own. */
export class AggregateCommand<C> extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly decider: Decider<C, unknown, DomainEvent, string>,
    readonly id: string,
    readonly command: C,
  ) {
    super();
  }
}

/** Handles every {@link AggregateCommand}: the command bus finds handlers by metadata, which subclasses inherit. */
@CommandHandler(AggregateCommand)
export class AggregateCommandHandler implements ICommandHandler<AggregateCommand<unknown>> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, decider, id, command }: AggregateCommand<unknown>): Promise<CommandOutcome> {
    return toOutcome(await this.aggregates.execute(decider, id, command, context));
  }
}
