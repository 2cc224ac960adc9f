import type { Catalogue, DomainEvent } from '../../kernel/events.js';

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
/** The key was replaced. `keyHash`: SHA-256 (hex) of the new key, which is shown once and stored nowhere. */
export type OwnerKeyRotated = DomainEvent<'OwnerKeyRotated', { readonly ownerId: string; readonly keyHash: string }>;
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
  | OwnerDeleted;

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
} satisfies Catalogue & Record<OwnerEvent['type'], unknown>;
