import type { ChangeOwner } from '../../../commands/owner/change-owner.js';
import { type Locale, LOCALES, type Plan, PLANS } from '../../../domain/owner/owner.events.js';
import type { PlatformDescriptor } from '../../../platforms/descriptor.js';
import { type JsonSchema, Schema, schemaOf } from '../../../validation/json-schema.js';
import { Must } from '../../../validation/rules.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import { createCredentialsBody } from '../channels/credentials.js';
import { BODY_MESSAGES } from '../messages.js';
import { readPart } from '../request-body.js';

/** Body of POST /owners. */
export class OwnerBody {
  @Must.beName()
  @Must.bePresent('a name for people, such as "Acme"')
  readonly name!: string;

  @Must.beOneOf(PLANS)
  @Must.bePresent(`one of ${PLANS.join(', ')}`)
  readonly plan!: Plan;

  @Must.beOneOf(LOCALES)
  readonly locale: Locale | undefined;
}

/** Fields of PATCH /owners/{id}. */
export class OwnerPatchBody {
  @Must.beName()
  readonly name: string | undefined;

  @Must.beOneOf(PLANS)
  readonly plan: Plan | undefined;

  @Must.beOneOf(LOCALES)
  readonly locale: Locale | undefined;

  /** Null removes the chat. */
  @Schema.is(() => ({ type: ['object', 'null'] }))
  readonly notice_chat: unknown;
}

/** Body of PATCH /owners/{id}. */
export type OwnerChange = ChangeOwner['change'];

/**
 * Creates the reader for the body of PATCH /owners/{id}. Missing fields stay unchanged; null removes the notice chat.
 * @param carrier the network through which notices are sent; undefined if there is none
 */
export const createOwnerChangeReader = (carrier: PlatformDescriptor | undefined): BodyReader<OwnerChange> => {
  const NoticeChatBody = carrier && createCredentialsBody(carrier);
  return (sent, problems) => {
    const { name, plan, locale, notice_chat } = fieldsReader(OwnerPatchBody)(sent, problems);
    if (sent.notice_chat === null) return { name, plan, locale, noticeChat: null };
    if (!NoticeChatBody) {
      if (notice_chat !== undefined) problems.add(422, 'notice_chat', 'not_available', BODY_MESSAGES.noNoticeNetwork);
      return { name, plan, locale };
    }
    const chat = readPart(notice_chat, 'notice_chat', NoticeChatBody, problems) as Record<string, string> | undefined;
    return { name, plan, locale, noticeChat: chat && { botToken: chat.bot_token!, chatId: chat.chat_id! } };
  };
};

/** Returns the body schema for PATCH /owners/{id}. @param carrier as for {@link createOwnerChangeReader} */
export const describeOwnerPatch = (carrier: PlatformDescriptor | undefined): JsonSchema => {
  const schema = schemaOf(OwnerPatchBody);
  const chat = carrier && { anyOf: [schemaOf(createCredentialsBody(carrier)), { type: 'null' }] };
  return { ...schema, properties: { ...(schema.properties as JsonSchema), notice_chat: chat ?? { type: 'null' } } };
};

/** Body of POST /owners/{id}/post-packs. */
export class PostPackBody {
  @Must.beWithin(1, 1_000_000)
  @Must.bePresent('how many posts')
  readonly posts!: number;
}
