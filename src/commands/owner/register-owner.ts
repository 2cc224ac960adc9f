import { owner, type OwnerCommand } from '../../domain/owner/owner.decider.js';
import type { Locale, OwnerRegistered } from '../../domain/owner/owner.events.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateCommand } from '../aggregate-command.js';

/** Registers an owner, with a plan and an API key. */
export class RegisterOwner extends AggregateCommand<OwnerCommand> {
  constructor(context: CommandContext, fields: OwnerRegistered['data'] & { readonly locale?: Locale }) {
    super(context, owner, fields.ownerId, { type: 'RegisterOwner', ...fields });
  }
}
