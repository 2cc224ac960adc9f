import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { owner } from '../../domain/owner/owner.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { done, type Outcome } from '../command-result.js';

/** A new owner, with a plan and a key of its own. */
export class RegisterOwner extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly owner: {
      readonly ownerId: string;
      readonly name: string;
      readonly plan: Plan;
      /** SHA-256 (hex) of the key that only its holder knows. */
      readonly keyHash: string;
    },
  ) {
    super();
  }
}

@CommandHandler(RegisterOwner)
export class RegisterOwnerHandler implements ICommandHandler<RegisterOwner> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, owner: { ownerId, name, plan, keyHash } }: RegisterOwner): Promise<Outcome> {
    const command = { type: 'RegisterOwner', ownerId, name, plan, keyHash } as const;
    return done(await this.streams.run(owner, ownerId, command, execution));
  }
}
