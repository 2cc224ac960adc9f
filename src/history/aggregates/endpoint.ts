import type { DisabledBy, EndpointEvent, EndpointSettings, Mode } from '../../domain/endpoint/endpoint.events.js';
import { iso } from '../../kernel/clock.js';
import { assertNever } from '../../kernel/events.js';
import { type Deed, deedOf, type HistoryAggregate } from './history-aggregate.js';

/** The history of an endpoint. */
export type EndpointHistory = {
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
} as const satisfies Record<keyof EndpointSettings, keyof EndpointHistory>;

type ShownSettings = Pick<EndpointHistory, (typeof SETTINGS)[keyof EndpointSettings]>;

const showSettings = (settings: Partial<EndpointSettings>): Partial<ShownSettings> =>
  Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, shown]) =>
      settings[name as keyof EndpointSettings] === undefined ? [] : [[shown, settings[name as keyof EndpointSettings]]],
    ),
  );

/** Folds endpoints. */
export const endpointHistory: HistoryAggregate<EndpointHistory, EndpointEvent> = {
  name: 'endpoint',
  category: 'endpoint',
  version: 2,

  evolve(state, event) {
    const at = iso(event.at);
    if (event.type === 'EndpointCreated') {
      const { endpointId: id, ownerId: owner_id, slug, mode, signingSecretId, settings } = event.data;
      return {
        id,
        owner_id,
        slug,
        mode,
        ...(showSettings(settings) as ShownSettings),
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
