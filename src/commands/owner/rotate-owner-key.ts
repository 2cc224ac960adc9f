import { owner, type OwnerCommand } from '../../domain/owner/owner.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateCommand } from '../aggregate-command.js';

/** Replaces an owner's API key; the old one stops working at once. */
export class RotateOwnerKey extends AggregateCommand<OwnerCommand> {
  /** @param keyHash SHA-256, hex */
  constructor(context: CommandContext, ownerId: string, keyHash: string) {
    super(context, owner, ownerId, { type: 'RotateOwnerKey', ownerId, keyHash });
  }
}
