import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { owner } from '../../domain/owner/owner.decider.js';
import type { Locale, Plan } from '../../domain/owner/owner.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';

/** Registers an owner, with a plan and an API key. */
export class RegisterOwner extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly owner: {
      readonly ownerId: string;
      readonly name: string;
      readonly plan: Plan;
      /** SHA-256 (hex) of the key; the key itself is not stored. */
      readonly keyHash: string;
      readonly locale?: Locale;
    },
  ) {
    super();
  }
}

@CommandHandler(RegisterOwner)
export class RegisterOwnerHandler implements ICommandHandler<RegisterOwner> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, owner: { ownerId, name, plan, keyHash, locale } }: RegisterOwner): Promise<CommandOutcome> {
    const command = { type: 'RegisterOwner', ownerId, name, plan, keyHash, locale } as const;
    return toOutcome(await this.aggregates.execute(owner, ownerId, command, context));
  }
}
