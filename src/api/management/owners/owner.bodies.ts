import { type Plan, PLANS } from '../../../domain/owner/owner.events.js';
import { given } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import type { NoticeChat } from '../../../commands/owner/change-owner.js';
import { TELEGRAM_CHAT } from '../channels/credentials.js';
import { fieldsOf, readPart, type Reader } from '../request-body.js';
import { idText, Is } from '../rules.js';

/** Body of POST /owners. */
export class OwnerDraft {
  @Is.name()
  @Must.bePresent('a name for people, such as "Acme"')
  readonly name: string;

  @Must.beOneOf(PLANS)
  @Must.bePresent(`one of ${PLANS.join(', ')}`)
  readonly plan: Plan;

  constructor(sent: Sent) {
    this.name = given(sent.name) as string;
    this.plan = given(sent.plan) as Plan;
  }
}

class OwnerPatch {
  @Is.name()
  readonly name: string | undefined;

  @Must.beOneOf(PLANS)
  readonly plan: Plan | undefined;

  readonly notice_chat: unknown;

  constructor(sent: Sent) {
    this.name = given(sent.name) as string | undefined;
    this.plan = given(sent.plan) as Plan | undefined;
    this.notice_chat = given(sent.notice_chat);
  }
}

class NoticeChatDraft {
  @Is.credential()
  @Must.bePresent("the bot's token from @BotFather")
  readonly bot_token: string;

  @Is.like(TELEGRAM_CHAT.form, TELEGRAM_CHAT.inWords)
  @Must.bePresent(`the chat's id: ${TELEGRAM_CHAT.inWords}`)
  readonly chat_id: string;

  constructor(sent: Sent) {
    this.bot_token = given(sent.bot_token) as string;
    this.chat_id = idText(sent.chat_id) as string;
  }
}

/** Body of PATCH /owners/{id}. */
export interface OwnerChange {
  readonly name?: string;
  readonly plan?: Plan;
  readonly noticeChat?: NoticeChat | null;
}

/** Body of PATCH /owners/{id}: what is not sent stays; null takes the notice chat away. */
export const readOwnerChange: Reader<OwnerChange> = (sent, problems) => {
  const { name, plan, notice_chat } = fieldsOf(OwnerPatch)(sent, problems);
  if (sent.notice_chat === null) return { name, plan, noticeChat: null };
  const chat = readPart(notice_chat, 'notice_chat', NoticeChatDraft, problems);
  return { name, plan, noticeChat: chat && { botToken: chat.bot_token, chatId: chat.chat_id } };
};

/** Body of POST /owners/{id}/post-packs. */
export class PostPackDraft {
  @Is.integer(1, 1_000_000)
  @Must.bePresent('how many posts')
  readonly posts: number;

  constructor(sent: Sent) {
    this.posts = given(sent.posts) as number;
  }
}
