import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { notice } from '../../domain/notice/notice.decider.js';
import type { NoticeRaised } from '../../domain/notice/notice.events.js';
import type { CommandContext } from '../../event-store/codec.js';
import { emptyAggregate, AggregateStore } from '../../event-store/aggregate-store.js';
import { toOutcome, type CommandOutcome } from '../command-result.js';

/** Raises a notice to an owner. A notice id is raised once, however often the command is repeated (D-25, D-26). */
export class RaiseNotice extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly notice: NoticeRaised['data'],
  ) {
    super();
  }
}

@CommandHandler(RaiseNotice)
export class RaiseNoticeHandler implements ICommandHandler<RaiseNotice> {
  constructor(private readonly aggregates: AggregateStore) {}

  /** @throws Unavailable */
  async execute({ context, notice: data }: RaiseNotice): Promise<CommandOutcome> {
    const command = { type: 'RaiseNotice', ...data } as const;
    // A notice is almost always new, so the read is skipped; otherwise the append conflicts.
    return toOutcome(await this.aggregates.execute(notice, data.noticeId, command, context, emptyAggregate(notice)));
  }
}
