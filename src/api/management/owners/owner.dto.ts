import type { ChangeOwner } from '../../../commands/owner.js';
import type { LimitsProfile } from '../../../config/limits-profile.js';
import type { PostsLeft } from '../../../domain/owner/monthly-quota.js';
import { type Locale, LOCALES, type Plan, PLANS } from '../../../domain/owner/owner.events.js';
import { iso } from '../../../kernel/clock.js';
import type { PlatformDescriptor } from '../../../platforms/descriptor.js';
import type { OwnerRow } from '../../../projections/discovery/discovery.tables.js';
import { type JsonSchema, Schema, schemaOf } from '../../../validation/json-schema.js';
import { Must } from '../../../validation/rules.js';
import { type BodyReader, fieldsReader } from '../../transport/fields.js';
import { createCredentialsBody } from '../channels/channel.dto.js';
import { BODY_MESSAGES } from '../messages.js';
import { buildOwnerLimitsView, type OwnerLimitsView } from '../plans/plan-limits.view.js';
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

/** The chat that receives an owner's notices; its bot token is never shown. */
export interface NoticeChatView {
  readonly chat_id: string;
}

/** An owner as the API shows it (management-api.md: Routes). Its API key and its bot's token are never shown again. */
export class OwnerView {
  /** `own_…` */
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** Language of notices. */
  readonly locale: Locale;
  /** Null if no chat receives notices. */
  readonly notice_chat: NoticeChatView | null;
  /** Publications that count against this month's quota (D-18). */
  readonly posts_used: number;
  /** Null if unlimited. */
  readonly posts_left: number | null;
  /** Start of the next UTC month, when the quota is reset (ISO 8601). */
  readonly resets_at: string;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** The owner's limits, from the current limits profile. */
  readonly limits: OwnerLimitsView;

  constructor(row: OwnerRow, { used, left, resetsAt }: PostsLeft, profile: LimitsProfile) {
    this.id = row.owner_id;
    this.name = row.name;
    this.plan = row.plan;
    this.locale = row.locale;
    this.notice_chat = row.notice_chat_id === null ? null : { chat_id: row.notice_chat_id };
    this.posts_used = used;
    this.posts_left = left;
    this.resets_at = iso(resetsAt);
    this.created_at = iso(row.created_at);
    this.limits = buildOwnerLimitsView(row.plan, profile);
  }
}

/** An owner with its new API key: the response to a registration and to `rotate-key`. */
export class OwnerWithKeyView extends OwnerView {
  /** Null in a replayed response: a secret is shown once (D-47). */
  declare readonly key: string | null;
}
