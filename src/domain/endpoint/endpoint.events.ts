import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';

/** D-12: what the endpoint's one token is issued for. */
export const MODES = ['live', 'test'] as const;
/** Kind of an endpoint’s token. */
export type Mode = (typeof MODES)[number];

/** D-8: by whom an endpoint was turned off. */
export type DisabledBy = 'owner' | 'rate_limits' | 'plan';

/** What an owner may set on an endpoint (publish-api.md: Inbound endpoint). */
export interface EndpointSettings {
  readonly name: string | null;
  readonly projectIds: readonly string[];
  /** Seconds; the profile says the range. */
  readonly minInterval: number;
  readonly requireSignature: boolean;
  readonly requireTimestamp: boolean;
  /** Addresses and CIDRs, canonical; empty: everyone. */
  readonly ipAllowlist: readonly string[];
  readonly verboseDiscovery: boolean;
}

/** An owner opened an endpoint (publish-api.md: Inbound endpoint). */
export type EndpointCreated = DomainEvent<
  'EndpointCreated',
  {
    readonly endpointId: string;
    readonly ownerId: string;
    readonly slug: string;
    readonly mode: Mode;
    /** SHA-256 (hex) of the token; the token was shown once and is nowhere. */
    readonly tokenHash: string;
    /** Where the encrypted signing secret lies. */
    readonly signingSecretId: string;
    readonly settings: EndpointSettings;
  }
>;
/** What its owner has set anew; what is absent stays. */
export type EndpointChanged = DomainEvent<
  'EndpointChanged',
  { readonly endpointId: string; readonly settings: Partial<EndpointSettings> }
>;
/** `tokenHash`: SHA-256 (hex) of the new token; the old one is dead from here on. */
export type EndpointTokenRotated = DomainEvent<
  'EndpointTokenRotated',
  { readonly endpointId: string; readonly tokenHash: string }
>;
/** The old slug is nobody’s from here on; `at` begins the cooldown (publish-api.md: Limits). */
export type EndpointSlugRotated = DomainEvent<
  'EndpointSlugRotated',
  { readonly endpointId: string; readonly slug: string; readonly at: Instant }
>;
/** D-40: the old secret stays valid until `previousUntil`. */
export type EndpointSecretRotated = DomainEvent<
  'EndpointSecretRotated',
  {
    readonly endpointId: string;
    readonly signingSecretId: string;
    readonly previousSecretId: string;
    readonly previousUntil: Instant;
  }
>;
/** Switched off (D-8). `reason`: for people. */
export type EndpointDisabled = DomainEvent<
  'EndpointDisabled',
  { readonly endpointId: string; readonly by: DisabledBy; readonly reason: string }
>;
/** Switched on by hand; violations count anew from here (D-45). */
export type EndpointEnabled = DomainEvent<'EndpointEnabled', { readonly endpointId: string }>;

/** What an endpoint’s stream holds. */
export type EndpointEvent =
  | EndpointCreated
  | EndpointChanged
  | EndpointTokenRotated
  | EndpointSlugRotated
  | EndpointSecretRotated
  | EndpointDisabled
  | EndpointEnabled;

/** Versions of these events. */
export const endpointEvents = {
  EndpointCreated: { version: 1 },
  EndpointChanged: { version: 1 },
  EndpointTokenRotated: { version: 1 },
  EndpointSlugRotated: { version: 1 },
  EndpointSecretRotated: { version: 1 },
  EndpointDisabled: { version: 1 },
  EndpointEnabled: { version: 1 },
} satisfies Catalogue & Record<EndpointEvent['type'], unknown>;
