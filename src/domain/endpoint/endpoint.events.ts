import { type Instant, iso } from '../../kernel/clock.js';
import {
  assertNever,
  type Catalogue,
  type Deed,
  deedOf,
  type DomainEvent,
  type ShownAggregate,
} from '../../kernel/events.js';

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
  /** False if clients may not change what is published (D-74). Older events lack it: true. */
  readonly allowChanges?: boolean;
}

type SettingsBeforeApproval = Omit<EndpointSettings, 'requiresApproval' | 'allowChanges'>;

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

/** An endpoint as the API shows it, now and in history. */
export type ShownEndpoint = {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string | null;
  readonly slug: string;
  readonly mode: Mode;
  readonly project_ids: readonly string[];
  /** Seconds. */
  readonly min_interval: number;
  readonly require_signature: boolean;
  readonly require_timestamp: boolean;
  readonly ip_allowlist: readonly string[];
  readonly verbose_discovery: boolean;
  readonly requires_approval: boolean;
  readonly allow_changes: boolean;
  readonly is_active: boolean;
  readonly disabled_by: DisabledBy | null;
  /** Who disabled it and why; null while it is enabled. */
  readonly disabled: null | (Deed & { readonly reason: string });
  readonly signing_secret_id: string;
  /** The previous signing secret, valid until `until` (D-40). */
  readonly previous_secret: null | { readonly secret_id: string; readonly until: string };
  /** When the current token became valid. */
  readonly token_since: string;
  readonly slug_rotated_at: string | null;
  readonly previous_slug: string | null;
  readonly created_at: string;
  readonly deleted_at: string | null;
};

/** Names of the settings in API responses, keyed by their names in events. */
const SETTINGS = {
  name: 'name',
  projectIds: 'project_ids',
  minInterval: 'min_interval',
  requireSignature: 'require_signature',
  requireTimestamp: 'require_timestamp',
  ipAllowlist: 'ip_allowlist',
  verboseDiscovery: 'verbose_discovery',
  requiresApproval: 'requires_approval',
  allowChanges: 'allow_changes',
} as const satisfies Record<keyof EndpointSettings, keyof ShownEndpoint>;

type ShownSettings = Pick<ShownEndpoint, (typeof SETTINGS)[keyof EndpointSettings]>;

const showSettings = (settings: Partial<EndpointSettings>): Partial<ShownSettings> =>
  Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, shown]) =>
      settings[name as keyof EndpointSettings] === undefined ? [] : [[shown, settings[name as keyof EndpointSettings]]],
    ),
  );

/** Folds endpoints. */
export const shownEndpoint: ShownAggregate<ShownEndpoint, EndpointEvent> = {
  name: 'endpoint',
  category: 'endpoint',
  version: 3,

  evolve(state, event) {
    const at = iso(event.at);
    if (event.type === 'EndpointCreated') {
      const { endpointId: id, ownerId: owner_id, slug, mode, signingSecretId, settings } = event.data;
      return {
        id,
        owner_id,
        slug,
        mode,
        ...({ allow_changes: true, ...showSettings(settings) } as ShownSettings),
        is_active: true,
        disabled_by: null,
        disabled: null,
        signing_secret_id: signingSecretId,
        previous_secret: null,
        token_since: at,
        slug_rotated_at: null,
        previous_slug: null,
        created_at: at,
        deleted_at: null,
      };
    }
    if (!state) return state;
    switch (event.type) {
      case 'EndpointChanged':
        return { ...state, ...showSettings(event.data.settings) };
      case 'EndpointTokenRotated':
        return { ...state, token_since: at };
      case 'EndpointSlugRotated':
        return { ...state, slug: event.data.slug, previous_slug: state.slug, slug_rotated_at: iso(event.data.at) };
      case 'EndpointSecretRotated': {
        const { signingSecretId, previousSecretId, previousUntil } = event.data;
        const previous_secret = { secret_id: previousSecretId, until: iso(previousUntil) };
        return { ...state, signing_secret_id: signingSecretId, previous_secret };
      }
      case 'EndpointDisabled': {
        const { by, reason } = event.data;
        return { ...state, is_active: false, disabled_by: by, disabled: { ...deedOf(event), reason } };
      }
      case 'EndpointEnabled':
        return { ...state, is_active: true, disabled_by: null, disabled: null };
      case 'EndpointDeleted':
        return { ...state, deleted_at: at };
      default:
        return assertNever(event);
    }
  },
};
