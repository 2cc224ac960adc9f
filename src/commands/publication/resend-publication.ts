import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { publication } from '../../domain/publication/publication.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { done, type Outcome } from '../command-result.js';

/** The owner wants a publication that is in doubt or failed to be sent again (D-25). */
export class ResendPublication extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly publication: { readonly publicationId: string; readonly postId: string; readonly channelId: string },
  ) {
    super();
  }
}

@CommandHandler(ResendPublication)
export class ResendPublicationHandler implements ICommandHandler<ResendPublication> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, publication: which }: ResendPublication): Promise<Outcome> {
    const command = { type: 'Resend', ...which, at: execution.at } as const;
    return done(await this.streams.run(publication, which.publicationId, command, execution));
  }
}
