import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { owner, type OwnerCommand } from '../../domain/owner/owner.decider.js';
import type { Locale, Plan } from '../../domain/owner/owner.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { streamOf } from '../../kernel/decider.js';
import { deriveUuid } from '../../kernel/ids.js';
import { isRejection } from '../../kernel/result.js';
import { SecretVault } from '../../secrets/vault.js';
import { type CommandOutcome, latestCompleted, toOutcome } from '../command-result.js';
import { PlanWithdrawal } from './plan-withdrawal.js';

/** The chat that receives an owner's notices. */
export interface NoticeChat {
  readonly botToken: string;
  readonly chatId: string;
}

/** Changes an owner's name, plan, language or notice chat; undefined fields stay unchanged, null removes the chat. */
export class ChangeOwner extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly ownerId: string,
    readonly change: {
      readonly name?: string;
      readonly plan?: Plan;
      readonly locale?: Locale;
      readonly noticeChat?: NoticeChat | null;
    },
  ) {
    super();
  }
}

@CommandHandler(ChangeOwner)
export class ChangeOwnerHandler implements ICommandHandler<ChangeOwner> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly vault: SecretVault,
    private readonly withdrawal: PlanWithdrawal,
  ) {}

  async execute({
    context,
    ownerId,
    change: { name, plan, locale, noticeChat },
  }: ChangeOwner): Promise<CommandOutcome> {
    // First completes an earlier change that was interrupted: an upgrade would hide its unfinished work.
    if (plan !== undefined) await this.withdrawal.withdraw(ownerId, context);
    const changed = toOutcome(
      await this.aggregates.execute(owner, ownerId, { type: 'ChangeOwner', ownerId, name, plan, locale }, context),
    );
    if (isRejection(changed)) return changed;
    const disabled = plan === undefined ? [] : await this.withdrawal.withdraw(ownerId, context);
    const all = latestCompleted([changed, ...disabled]);
    if (noticeChat === undefined) return all;
    const commandId = `${context.commandId}/notice-chat`;
    const command = await this.noticeChatCommand(ownerId, noticeChat, commandId);
    const set = toOutcome(await this.aggregates.execute(owner, ownerId, command, { ...context, commandId }));
    return isRejection(set) ? set : latestCompleted([all, set]);
  }

  private async noticeChatCommand(ownerId: string, chat: NoticeChat | null, commandId: string): Promise<OwnerCommand> {
    if (!chat) return { type: 'RemoveNoticeChat', ownerId };
    const secretId = await this.vault.storeSecret(
      { bot_token: chat.botToken },
      streamOf(owner, ownerId),
      deriveUuid(commandId),
    );
    return { type: 'SetNoticeChat', ownerId, chatId: chat.chatId, secretId };
  }
}
