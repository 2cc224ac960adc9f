import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { References } from '../../projections/discovery/references.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';
import { Deletions } from '../deletion/deletions.js';
import { rejectInUse } from '../deletion/reject-in-use.js';
import { rejectForeign } from '../reject-foreign.js';

/** Deletes a channel: it disappears from every view, its queue is cancelled, and its credentials are erased (D-56). */
export class DeleteChannel extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly channelId: string,
    /** If true, removes the channel from the projects that refer to it; if false, rejects with `in_use` if any do. */
    readonly cascade: boolean,
  ) {
    super();
  }
}

/** Appends the deletion first. Its consequences follow here or, after a crash, in the saga `complete-deletions`. */
@CommandHandler(DeleteChannel)
export class DeleteChannelHandler implements ICommandHandler<DeleteChannel> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly deletions: Deletions,
    private readonly references: References,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute({ context, channelId, cascade }: DeleteChannel): Promise<CommandOutcome> {
    const rejection =
      (await rejectForeign(this.aggregates, channel, [channelId], context)) ??
      (cascade ? null : await this.rejectInUse(channelId));
    if (rejection) return rejection;
    const command = { type: 'DeleteChannel', channelId } as const;
    const deleted = toOutcome(await this.aggregates.execute(channel, channelId, command, context));
    return this.deletions.completeNow(deleted, ({ position }) =>
      this.deletions.completeChannel(channelId, position, context),
    );
  }

  /** A reference that is added after this check is removed again: see `Deletions`. */
  private async rejectInUse(channelId: string) {
    await this.progress.waitUntilCaughtUp(['discovery'], this.aggregates.store);
    return rejectInUse('channel', 'project_ids', await this.references.findProjectsNaming(channelId));
  }
}
