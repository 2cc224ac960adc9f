import type { Credentials } from '../../../commands/channel/connect-channel.js';
import type { Platform } from '../../../domain/channel/channel.events.js';
import { given } from '../../../validation/absence.js';
import { checkObject, type Sent } from '../../../validation/check-fields.js';
import type { ProblemList } from '../../../validation/problem-list.js';
import { Must } from '../../../validation/rules.js';
import { type DraftClass, fieldsOf } from '../request-body.js';
import { idText, Is } from '../rules.js';

/** A chat on Telegram. */
export const TELEGRAM_CHAT = {
  form: /^(?:-?\d{1,20}|@[A-Za-z]\w{3,63})$/,
  inWords: 'a number such as -1001234567890, or a public name such as @acme_news',
};
const MAX_CHAT = { form: /^-?\d{1,20}$/, inWords: 'a number such as -70912345678901' };
const GROUP = { form: /^[1-9]\d{0,19}$/, inWords: "the group's number without a minus, such as 123456789" };

class TelegramCredentials {
  @Is.credential()
  @Must.bePresent("the bot's token from @BotFather")
  readonly bot_token: unknown;

  @Is.like(TELEGRAM_CHAT.form, TELEGRAM_CHAT.inWords)
  @Must.bePresent(`the chat's id: ${TELEGRAM_CHAT.inWords}`)
  readonly chat_id: unknown;

  constructor(sent: Sent) {
    this.bot_token = given(sent.bot_token);
    this.chat_id = idText(sent.chat_id);
  }
}

class VkCredentials {
  @Is.credential()
  @Must.bePresent("the community's access token")
  readonly access_token: unknown;

  /** A user's token for uploads: a community's may not (networks.md: VK). */
  @Is.credential()
  readonly upload_token: unknown;

  @Is.like(GROUP.form, GROUP.inWords)
  @Must.bePresent(GROUP.inWords)
  readonly group_id: unknown;

  constructor(sent: Sent) {
    this.access_token = given(sent.access_token);
    this.upload_token = given(sent.upload_token);
    this.group_id = idText(sent.group_id);
  }
}

class MaxCredentials {
  @Is.credential()
  @Must.bePresent("the bot's access token")
  readonly access_token: unknown;

  @Is.like(MAX_CHAT.form, MAX_CHAT.inWords)
  @Must.bePresent(`the chat's id: ${MAX_CHAT.inWords}`)
  readonly chat_id: unknown;

  constructor(sent: Sent) {
    this.access_token = given(sent.access_token);
    this.chat_id = idText(sent.chat_id);
  }
}

class OkCredentials {
  @Is.credential()
  @Must.bePresent("the application's public key")
  readonly application_key: unknown;

  @Is.credential()
  @Must.bePresent("the application's secret key")
  readonly application_secret: unknown;

  @Is.credential()
  @Must.bePresent('the access token')
  readonly access_token: unknown;

  @Is.like(GROUP.form, GROUP.inWords)
  @Must.bePresent(GROUP.inWords)
  readonly group_id: unknown;

  constructor(sent: Sent) {
    this.application_key = given(sent.application_key);
    this.application_secret = given(sent.application_secret);
    this.access_token = given(sent.access_token);
    this.group_id = idText(sent.group_id);
  }
}

const DRAFTS: Readonly<Record<Platform, DraftClass<object>>> = {
  telegram: TelegramCredentials,
  vk: VkCredentials,
  max: MaxCredentials,
  ok: OkCredentials,
};

/** The fields that say where a channel is; everything else in its credentials is secret. */
const PUBLIC = new Set(['chat_id', 'group_id']);

/** Reads a network's credentials (management-api.md: credentials), all that it needs, and parts them. */
export const readCredentials = (platform: Platform, value: unknown, problems: ProblemList): Credentials | undefined => {
  if (!checkObject(value, 'credentials', problems)) return undefined;
  const draft = fieldsOf(DRAFTS[platform], 'credentials')(value, problems);
  const sent = (Object.entries(draft) as [string, string | undefined][]).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  const secret = Object.fromEntries(sent.filter(([name]) => !PUBLIC.has(name)));
  return {
    address: {
      ...Object.fromEntries(sent.filter(([name]) => PUBLIC.has(name))),
      // That there is such a token is no secret, and what is rendered depends on it (D-22).
      ...('upload_token' in secret && { uploads: 'user_token' }),
    },
    secret,
  };
};
