import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { owner } from '../../domain/owner/owner.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { done, type Outcome } from '../command-result.js';

/** A new key for an owner; the old one is dead at once. */
export class RotateOwnerKey extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly ownerId: string,
    /** SHA-256, hex. */
    readonly keyHash: string,
  ) {
    super();
  }
}

@CommandHandler(RotateOwnerKey)
export class RotateOwnerKeyHandler implements ICommandHandler<RotateOwnerKey> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, ownerId, keyHash }: RotateOwnerKey): Promise<Outcome> {
    return done(await this.streams.run(owner, ownerId, { type: 'RotateOwnerKey', ownerId, keyHash }, execution));
  }
}
