import { type Instant, iso, isoOrNull } from '../../kernel/clock.js';
import { assertNever, type Catalogue, type DomainEvent, type Scope, type ShownAggregate } from '../../kernel/events.js';
import type { OwnerEvent } from '../owner/owner.events.js';

/** What can be changed about a key. */
export interface KeySettings {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only endpoints that it may use; null for all. */
  readonly endpointIds: readonly string[] | null;
  /** Null if it does not expire. */
  readonly expiresAt: Instant | null;
}

/** A named key was issued. `ownerId` is null for an auditor of all owners; `keyHash`: SHA-256 (hex) of the key. */
export type KeyIssued = DomainEvent<
  'KeyIssued',
  { readonly keyId: string; readonly ownerId: string | null; readonly keyHash: string } & KeySettings
>;
/** The name, scopes, limits or expiry were changed; absent fields are unchanged. */
export type KeyChanged = DomainEvent<'KeyChanged', { readonly keyId: string } & Partial<KeySettings>>;
/** The key was replaced; the one before also works until `previousUntil`. Both are null without an overlap. */
export type KeyRotated = DomainEvent<
  'KeyRotated',
  {
    readonly keyId: string;
    readonly keyHash: string;
    readonly previousHash: string | null;
    readonly previousUntil: Instant | null;
  }
>;
/** The key was revoked, or its owner deleted: it works no more. */
export type KeyRevoked = DomainEvent<'KeyRevoked', { readonly keyId: string }>;

export type KeyEvent = KeyIssued | KeyChanged | KeyRotated | KeyRevoked;

export const keyEvents = {
  KeyIssued: { version: 1 },
  KeyChanged: { version: 1 },
  KeyRotated: { version: 1 },
  KeyRevoked: { version: 1 },
} satisfies Catalogue & Record<KeyEvent['type'], unknown>;

/** A key as the API shows it, now and in history. The key itself is stored nowhere. */
export type ShownKey = {
  readonly id: string;
  /** Null for an auditor of all owners. */
  readonly owner_id: string | null;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly endpoint_ids: readonly string[] | null;
  readonly is_main: boolean;
  /** When the current key became valid. */
  readonly key_since: string;
  readonly previous_until: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
};

/** Folds named keys. */
export const shownKey: ShownAggregate<ShownKey, KeyEvent> = {
  name: 'key',
  category: 'key',
  version: 1,

  evolve(state, event) {
    const at = iso(event.at);
    if (event.type === 'KeyIssued') {
      const { keyId: id, ownerId: owner_id, name, scopes, endpointIds: endpoint_ids, expiresAt } = event.data;
      const fresh = { is_main: false, key_since: at, previous_until: null, created_at: at, deleted_at: null };
      return { id, owner_id, name, scopes, endpoint_ids, ...fresh, expires_at: isoOrNull(expiresAt) };
    }
    if (!state) return state;
    switch (event.type) {
      case 'KeyChanged': {
        const { name = state.name, scopes = state.scopes, endpointIds, expiresAt } = event.data;
        const endpoint_ids = endpointIds === undefined ? state.endpoint_ids : endpointIds;
        const expires_at = expiresAt === undefined ? state.expires_at : isoOrNull(expiresAt);
        return { ...state, name, scopes, endpoint_ids, expires_at };
      }
      case 'KeyRotated':
        return { ...state, key_since: at, previous_until: isoOrNull(event.data.previousUntil) };
      case 'KeyRevoked':
        return { ...state, deleted_at: at };
      default:
        return assertNever(event);
    }
  },
};

/** Returns the id under which an owner's main key is listed. */
export const mainKeyId = (ownerId: string): string => ownerId.replace(/^own_/, 'key_');

/** Folds owners' main keys, which the owners' events create, replace and end. */
export const shownMainKey: ShownAggregate<ShownKey, OwnerEvent> = {
  name: 'main-key',
  category: 'owner',
  version: 1,

  evolve(state, event) {
    const at = iso(event.at);
    if (event.type === 'OwnerRegistered') {
      const { ownerId } = event.data;
      const rights = { name: 'Main key', scopes: ['manage'] as const, endpoint_ids: null, is_main: true };
      const times = { key_since: at, previous_until: null, created_at: at, expires_at: null, deleted_at: null };
      return { id: mainKeyId(ownerId), owner_id: ownerId, ...rights, ...times };
    }
    if (state && event.type === 'OwnerKeyRotated')
      return { ...state, key_since: at, previous_until: isoOrNull(event.data.previousUntil) };
    return state && event.type === 'OwnerDeleted' ? { ...state, deleted_at: at } : state;
  },
};
