import type { Instant } from '../../kernel/clock.js';
import type { Catalogue, DomainEvent } from '../../kernel/events.js';

/** Modes of an endpoint's token (D-12). */
export const MODES = ['live', 'test'] as const;
/** Mode of an endpoint's token. */
export type Mode = (typeof MODES)[number];

/** Who or what disabled an endpoint (D-8). */
export type DisabledBy = 'owner' | 'rate_limits' | 'plan';

/** Settings of an endpoint that an owner may change (publish-api.md: Inbound endpoint). */
export interface EndpointSettings {
  readonly name: string | null;
  readonly projectIds: readonly string[];
  /** Minimum seconds between posts; the limits profile sets the range. */
  readonly minInterval: number;
  readonly requireSignature: boolean;
  readonly requireTimestamp: boolean;
  /** Addresses and CIDRs in canonical form; empty if all addresses are allowed. */
  readonly ipAllowlist: readonly string[];
  readonly verboseDiscovery: boolean;
  /** True if an owner must approve each post before it is released (D-62). */
  readonly requiresApproval: boolean;
}

type SettingsBeforeApproval = Omit<EndpointSettings, 'requiresApproval'>;

/** An owner created an endpoint (publish-api.md: Inbound endpoint). */
export type EndpointCreated = DomainEvent<
  'EndpointCreated',
  {
    readonly endpointId: string;
    readonly ownerId: string;
    readonly slug: string;
    readonly mode: Mode;
    /** SHA-256 (hex) of the token, which is shown once and stored nowhere. */
    readonly tokenHash: string;
    /** Id of the encrypted signing secret. */
    readonly signingSecretId: string;
    readonly settings: EndpointSettings;
  }
>;
/** The owner changed settings; absent settings are unchanged. */
export type EndpointChanged = DomainEvent<
  'EndpointChanged',
  { readonly endpointId: string; readonly settings: Partial<EndpointSettings> }
>;
/** The token was replaced; the old token is no longer valid. `tokenHash`: SHA-256 (hex) of the new token. */
export type EndpointTokenRotated = DomainEvent<
  'EndpointTokenRotated',
  { readonly endpointId: string; readonly tokenHash: string }
>;
/** The slug was replaced; the old slug no longer works. The cooldown starts at `at` (publish-api.md: Limits). */
export type EndpointSlugRotated = DomainEvent<
  'EndpointSlugRotated',
  { readonly endpointId: string; readonly slug: string; readonly at: Instant }
>;
/** The signing secret was replaced; the old one stays valid until `previousUntil` (D-40). */
export type EndpointSecretRotated = DomainEvent<
  'EndpointSecretRotated',
  {
    readonly endpointId: string;
    readonly signingSecretId: string;
    readonly previousSecretId: string;
    readonly previousUntil: Instant;
  }
>;
/** The endpoint was disabled (D-8). `reason` is human-readable. */
export type EndpointDisabled = DomainEvent<
  'EndpointDisabled',
  { readonly endpointId: string; readonly by: DisabledBy; readonly reason: string }
>;
/** Someone enabled the endpoint; only later violations count (D-45). */
export type EndpointEnabled = DomainEvent<'EndpointEnabled', { readonly endpointId: string }>;
/** The owner deleted the endpoint: its slug and token no longer work. Its history is kept. */
export type EndpointDeleted = DomainEvent<'EndpointDeleted', { readonly endpointId: string }>;

/** Events of an endpoint's stream. */
export type EndpointEvent =
  | EndpointCreated
  | EndpointChanged
  | EndpointTokenRotated
  | EndpointSlugRotated
  | EndpointSecretRotated
  | EndpointDisabled
  | EndpointEnabled
  | EndpointDeleted;

export const endpointEvents = {
  EndpointCreated: {
    version: 2,
    upcasters: {
      1: (data: Omit<EndpointCreated['data'], 'settings'> & { readonly settings: SettingsBeforeApproval }) => ({
        ...data,
        settings: { ...data.settings, requiresApproval: false },
      }),
    },
  },
  EndpointChanged: { version: 1 },
  EndpointTokenRotated: { version: 1 },
  EndpointSlugRotated: { version: 1 },
  EndpointSecretRotated: { version: 1 },
  EndpointDisabled: { version: 1 },
  EndpointEnabled: { version: 1 },
  EndpointDeleted: { version: 1 },
} satisfies Catalogue & Record<EndpointEvent['type'], unknown>;
