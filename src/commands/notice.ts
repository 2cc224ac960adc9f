import { notice } from '../domain/notice/notice.decider.js';
import type { NoticeRaised } from '../domain/notice/notice.events.js';
import { type AggregateStore, emptyAggregate } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { type CommandOutcome, toOutcome } from './command.js';

/**
 * Raises a notice to an owner (D-25, D-26). Idempotent: repeated calls with the same notice id do nothing.
 * @throws Unavailable
 */
export const raiseNotice = async (
  aggregates: AggregateStore,
  context: CommandContext,
  data: NoticeRaised['data'],
): Promise<CommandOutcome> => {
  const command = { type: 'RaiseNotice', ...data } as const;
  // A notice is almost always new, so it is not read first; if it already exists, the append conflicts.
  return toOutcome(await aggregates.execute(notice, data.noticeId, command, context, emptyAggregate(notice)));
};
