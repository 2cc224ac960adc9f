import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { owner } from '../../domain/owner/owner.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';

/** Replaces an owner's API key; the old one stops working at once. */
export class RotateOwnerKey extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly ownerId: string,
    /** SHA-256, hex. */
    readonly keyHash: string,
  ) {
    super();
  }
}

@CommandHandler(RotateOwnerKey)
export class RotateOwnerKeyHandler implements ICommandHandler<RotateOwnerKey> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, ownerId, keyHash }: RotateOwnerKey): Promise<CommandOutcome> {
    return toOutcome(
      await this.aggregates.execute(owner, ownerId, { type: 'RotateOwnerKey', ownerId, keyHash }, context),
    );
  }
}
