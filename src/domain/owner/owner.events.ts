import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';

/** Spec: What the service does, 10. */
export const PLANS = ['free', 'mini', 'standard', 'pro', 'maxi', 'business'] as const;
/** Name of a plan. */
export type Plan = (typeof PLANS)[number];

/** `keyHash`: SHA-256 (hex) of the owner’s key. */
export type OwnerRegistered = DomainEvent<
  'OwnerRegistered',
  { readonly ownerId: string; readonly name: string; readonly plan: Plan; readonly keyHash: string }
>;
/** The name that the operator sees. */
export type OwnerRenamed = DomainEvent<'OwnerRenamed', { readonly ownerId: string; readonly name: string }>;
/** What the owner’s endpoints may do from here on. */
export type OwnerPlanChanged = DomainEvent<'OwnerPlanChanged', { readonly ownerId: string; readonly plan: Plan }>;
/** `keyHash`: SHA-256 (hex) of the key; the key itself was shown once and is nowhere. */
export type OwnerKeyRotated = DomainEvent<'OwnerKeyRotated', { readonly ownerId: string; readonly keyHash: string }>;
/** Where notices go; the bot's token lies encrypted under `secretId`. */
export type OwnerNoticeChatSet = DomainEvent<
  'OwnerNoticeChatSet',
  { readonly ownerId: string; readonly chatId: string; readonly secretId: string }
>;
/** Notices go nowhere from here on. */
export type OwnerNoticeChatRemoved = DomainEvent<'OwnerNoticeChatRemoved', { readonly ownerId: string }>;
/** D-18: so many posts beyond the plan's month. */
export type PostPackAdded = DomainEvent<'PostPackAdded', { readonly ownerId: string; readonly posts: number }>;

/** What an owner’s stream holds. */
export type OwnerEvent =
  | OwnerRegistered
  | OwnerRenamed
  | OwnerPlanChanged
  | OwnerKeyRotated
  | OwnerNoticeChatSet
  | OwnerNoticeChatRemoved
  | PostPackAdded;

/** Versions of these events. */
export const ownerEvents = {
  OwnerRegistered: { version: 1 },
  OwnerRenamed: { version: 1 },
  OwnerPlanChanged: { version: 1 },
  OwnerKeyRotated: { version: 1 },
  OwnerNoticeChatSet: { version: 1 },
  OwnerNoticeChatRemoved: { version: 1 },
  PostPackAdded: { version: 1 },
} satisfies Catalogue & Record<OwnerEvent['type'], unknown>;
