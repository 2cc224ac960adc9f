import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { publication } from '../../domain/publication/publication.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { done, type Outcome } from '../command-result.js';

/** The owner lets a publication that is in doubt or failed be (D-25). */
export class DismissPublication extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly publication: { readonly publicationId: string; readonly postId: string; readonly channelId: string },
  ) {
    super();
  }
}

@CommandHandler(DismissPublication)
export class DismissPublicationHandler implements ICommandHandler<DismissPublication> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, publication: which }: DismissPublication): Promise<Outcome> {
    const command = { type: 'Dismiss', ...which, at: execution.at } as const;
    return done(await this.streams.run(publication, which.publicationId, command, execution));
  }
}
