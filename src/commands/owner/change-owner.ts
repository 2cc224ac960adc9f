import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { owner, type OwnerCommand } from '../../domain/owner/owner.decider.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { derivedUuid } from '../../kernel/ids.js';
import { isRejection } from '../../kernel/result.js';
import { SecretVault } from '../../secrets/vault.js';
import { allDone, done, type Outcome } from '../command-result.js';
import { InputWithdrawal } from '../endpoint/input-withdrawal.js';

/** Where an owner's notices go. */
export interface NoticeChat {
  readonly botToken: string;
  readonly chatId: string;
}

/** An owner's name, plan or notice chat; what is undefined stays, and null takes the chat away. */
export class ChangeOwner extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly ownerId: string,
    readonly change: { readonly name?: string; readonly plan?: Plan; readonly noticeChat?: NoticeChat | null },
  ) {
    super();
  }
}

@CommandHandler(ChangeOwner)
export class ChangeOwnerHandler implements ICommandHandler<ChangeOwner> {
  constructor(
    private readonly streams: Streams,
    private readonly vault: SecretVault,
    private readonly withdrawal: InputWithdrawal,
  ) {}

  async execute({ execution, ownerId, change: { name, plan, noticeChat } }: ChangeOwner): Promise<Outcome> {
    // What an earlier change has left undone is done first, or a better plan would cover it up.
    if (plan !== undefined) await this.withdrawal.from(ownerId, execution);
    const changed = done(
      await this.streams.run(owner, ownerId, { type: 'ChangeOwner', ownerId, name, plan }, execution),
    );
    if (isRejection(changed)) return changed;
    const switchedOff = plan === undefined ? [] : await this.withdrawal.from(ownerId, execution);
    const all = allDone([changed, ...switchedOff]);
    if (noticeChat === undefined) return all;
    const commandId = `${execution.commandId}/notice-chat`;
    const command = await this.toNoticeChat(ownerId, noticeChat, commandId);
    const set = done(await this.streams.run(owner, ownerId, command, { ...execution, commandId }));
    return isRejection(set) ? set : allDone([all, set]);
  }
  private async toNoticeChat(ownerId: string, chat: NoticeChat | null, commandId: string): Promise<OwnerCommand> {
    if (!chat) return { type: 'RemoveNoticeChat', ownerId };
    const secretId = await this.vault.put({ bot_token: chat.botToken }, derivedUuid(commandId));
    return { type: 'SetNoticeChat', ownerId, chatId: chat.chatId, secretId };
  }
}
