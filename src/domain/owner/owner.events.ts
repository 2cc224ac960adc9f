import { type Instant, iso } from '../../kernel/clock.js';
import { assertNever, type Catalogue, type DomainEvent, type ShownAggregate } from '../../kernel/events.js';

/** The plans, smallest first. */
export const PLANS = ['free', 'mini', 'standard', 'pro', 'maxi', 'business'] as const;
/** Name of a plan. */
export type Plan = (typeof PLANS)[number];

/** Languages of notices. */
export const LOCALES = ['en', 'ru'] as const;
/** Language of an owner's notices. */
export type Locale = (typeof LOCALES)[number];
/** Language used until an owner chooses one. */
export const DEFAULT_LOCALE: Locale = 'en';

/** An owner was registered. `keyHash`: SHA-256 (hex) of the owner's key. */
export type OwnerRegistered = DomainEvent<
  'OwnerRegistered',
  { readonly ownerId: string; readonly name: string; readonly plan: Plan; readonly keyHash: string }
>;
/** The owner was renamed. */
export type OwnerRenamed = DomainEvent<'OwnerRenamed', { readonly ownerId: string; readonly name: string }>;
/** The owner's plan was changed; from now on, the new plan's limits apply. */
export type OwnerPlanChanged = DomainEvent<'OwnerPlanChanged', { readonly ownerId: string; readonly plan: Plan }>;
/**
 * The key was replaced. `keyHash`: SHA-256 (hex) of the new key, which is shown once and stored nowhere. With an
 * overlap, the one before also works until `previousUntil`; older events have neither.
 */
export type OwnerKeyRotated = DomainEvent<
  'OwnerKeyRotated',
  {
    readonly ownerId: string;
    readonly keyHash: string;
    readonly previousHash?: string;
    readonly previousUntil?: Instant;
  }
>;
/** The owner chose another language; notices are written in it from now on. */
export type OwnerLocaleChanged = DomainEvent<
  'OwnerLocaleChanged',
  { readonly ownerId: string; readonly locale: Locale }
>;
/** Notices go to this chat; the bot's token is stored encrypted as `secretId`. */
export type OwnerNoticeChatSet = DomainEvent<
  'OwnerNoticeChatSet',
  { readonly ownerId: string; readonly chatId: string; readonly secretId: string }
>;
/** The notice chat was removed; no more notices are delivered. */
export type OwnerNoticeChatRemoved = DomainEvent<'OwnerNoticeChatRemoved', { readonly ownerId: string }>;
/** The owner bought posts beyond the plan's monthly quota (D-18). */
export type PostPackAdded = DomainEvent<'PostPackAdded', { readonly ownerId: string; readonly posts: number }>;
/**
 * The operator deleted the owner, which invalidates its key. Its endpoints, channels, projects and webhook outputs are
 * then deleted by events of their own.
 */
export type OwnerDeleted = DomainEvent<'OwnerDeleted', { readonly ownerId: string }>;

/**
 * What the owner's people wrote in these months (UTC: `2026-11`), and where they wrote from, was erased (D-100); null for
 * all months, also those to come. The keys were erased before this event, so a reader of this event never shows that content.
 */
export type OwnerContentErased = DomainEvent<
  'OwnerContentErased',
  { readonly ownerId: string; readonly months: readonly string[] | null }
>;

/** Events in an owner's stream. */
export type OwnerEvent =
  | OwnerRegistered
  | OwnerRenamed
  | OwnerPlanChanged
  | OwnerKeyRotated
  | OwnerLocaleChanged
  | OwnerNoticeChatSet
  | OwnerNoticeChatRemoved
  | PostPackAdded
  | OwnerDeleted
  | OwnerContentErased;

export const ownerEvents = {
  OwnerRegistered: { version: 1 },
  OwnerRenamed: { version: 1 },
  OwnerPlanChanged: { version: 1 },
  OwnerKeyRotated: { version: 1 },
  OwnerLocaleChanged: { version: 1 },
  OwnerNoticeChatSet: { version: 1 },
  OwnerNoticeChatRemoved: { version: 1 },
  PostPackAdded: { version: 1 },
  OwnerDeleted: { version: 1 },
  OwnerContentErased: { version: 1 },
} satisfies Catalogue & Record<OwnerEvent['type'], unknown>;

/** An owner as the API shows it, now and in history. */
export type ShownOwner = {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** Language of notices. */
  readonly locale: Locale;
  readonly notice_chat: null | { readonly chat_id: string; readonly secret_id: string };
  /** Number of posts in all post packs so far (D-18). */
  readonly pack_posts: number;
  /** When the current key became valid. */
  readonly key_since: string;
  readonly created_at: string;
  readonly deleted_at: string | null;
};

/** Folds owners. */
export const shownOwner: ShownAggregate<ShownOwner, OwnerEvent> = {
  name: 'owner',
  category: 'owner',
  version: 2,

  evolve(state, event) {
    const at = iso(event.at);
    if (event.type === 'OwnerRegistered') {
      const { ownerId: id, name, plan } = event.data;
      const fresh = { notice_chat: null, pack_posts: 0, key_since: at, created_at: at, deleted_at: null };
      return { id, name, plan, locale: DEFAULT_LOCALE, ...fresh };
    }
    if (!state) return state;
    switch (event.type) {
      case 'OwnerRenamed':
        return { ...state, name: event.data.name };
      case 'OwnerPlanChanged':
        return { ...state, plan: event.data.plan };
      case 'OwnerKeyRotated':
        return { ...state, key_since: at };
      case 'OwnerLocaleChanged':
        return { ...state, locale: event.data.locale };
      case 'OwnerNoticeChatSet':
        return { ...state, notice_chat: { chat_id: event.data.chatId, secret_id: event.data.secretId } };
      case 'OwnerNoticeChatRemoved':
        return { ...state, notice_chat: null };
      case 'PostPackAdded':
        return { ...state, pack_posts: state.pack_posts + event.data.posts };
      case 'OwnerDeleted':
        return { ...state, deleted_at: at };
      case 'OwnerContentErased':
        return state;
      default:
        return assertNever(event);
    }
  },
};
