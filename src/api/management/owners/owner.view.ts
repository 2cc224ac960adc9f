import type { LimitsProfile } from '../../../config/limits-profile.js';
import type { PostsLeft } from '../../../domain/owner/monthly-quota.js';
import type { Locale, Plan } from '../../../domain/owner/owner.events.js';
import { iso } from '../../../kernel/instant.js';
import type { OwnerRow } from '../../../projections/discovery/discovery.tables.js';
import { buildOwnerLimitsView, type OwnerLimitsView } from '../plans/plan-limits.view.js';

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
