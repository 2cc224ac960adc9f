import { type Instant, iso } from '../../kernel/clock.js';
import { assertNever, type Decider } from '../../kernel/events.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import { STATE_MESSAGES } from '../messages.js';
import { isConsoleEndpoint } from './console-endpoint.js';
import type {
  DisabledBy,
  EndpointCreated,
  EndpointDisabled,
  EndpointEvent,
  EndpointSecretRotated,
  EndpointSettings,
} from './endpoint.events.js';

/** Commands to an endpoint. They carry a token's hash and a secret's id, never the values. */
export type EndpointCommand =
  | ({ readonly type: 'CreateEndpoint' } & EndpointCreated['data'])
  | { readonly type: 'ChangeEndpoint'; readonly endpointId: string; readonly settings: Partial<EndpointSettings> }
  | { readonly type: 'RotateToken'; readonly endpointId: string; readonly tokenHash: string }
  | { readonly type: 'RotateSlug'; readonly endpointId: string; readonly slug: string; readonly at: Instant }
  | ({ readonly type: 'RotateSigningSecret' } & Omit<EndpointSecretRotated['data'], 'previousSecretId'>)
  | ({ readonly type: 'DisableEndpoint' } & EndpointDisabled['data'])
  | { readonly type: 'EnableEndpoint'; readonly endpointId: string }
  | { readonly type: 'DeleteEndpoint'; readonly endpointId: string }
  | { readonly type: 'AddProjects'; readonly endpointId: string; readonly projectIds: readonly string[] }
  /** Removes deleted projects from the endpoint. */
  | { readonly type: 'RemoveProjects'; readonly endpointId: string; readonly projectIds: readonly string[] };

/** State of an endpoint; null if it does not exist. */
export type EndpointState =
  | null
  | (Omit<EndpointCreated['data'], 'endpointId'> & {
      readonly disabledBy: DisabledBy | null;
      readonly slugRotatedAt: Instant | null;
      /** True if the endpoint was deleted: every command is then rejected as if the endpoint did not exist. */
      readonly deleted: boolean;
    });

/** Minimum time between two rotations of a slug (publish-api.md: Limits), in ms. */
const SLUG_COOLDOWN_MS = 24 * 3_600_000;

/** An endpoint that accepts posts, with its own slug, token, projects and limits. */
export const endpoint: Decider<
  EndpointCommand,
  EndpointState,
  EndpointEvent,
  'not_found' | 'already_exists' | 'cooldown'
> = {
  category: 'endpoint',
  initial: null,
  snapshotVersion: 3,

  // A key that may publish may open the console's endpoint; deleted projects are removed for the gateway's own reasons.
  scopeOf(command) {
    if (command.type === 'CreateEndpoint' && isConsoleEndpoint(command.endpointId, command.ownerId)) return 'post';
    return command.type === 'AddProjects' || command.type === 'RemoveProjects' ? 'post' : 'manage';
  },

  ownerOf: (state) => state?.ownerId ?? null,

  endpointOf: (state, id) => (state ? id : null),

  decide(command, state) {
    const { endpointId } = command;
    if (command.type === 'CreateEndpoint') {
      if (state) return reject('already_exists', STATE_MESSAGES.alreadyExists({ what: 'endpoint' }));
      const { ownerId, slug, mode, tokenHash, signingSecretId, settings } = command;
      return [
        { type: 'EndpointCreated', data: { endpointId, ownerId, slug, mode, tokenHash, signingSecretId, settings } },
      ];
    }
    if (!state || state.deleted) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'endpoint' }));
    switch (command.type) {
      case 'ChangeEndpoint': {
        // An undefined field was not sent.
        const changed = Object.entries(command.settings).filter(
          ([name, value]) =>
            value !== undefined &&
            JSON.stringify(value) !== JSON.stringify(state.settings[name as keyof EndpointSettings]),
        );
        const settings = Object.fromEntries(changed) as Partial<EndpointSettings>;
        return changed.length > 0 ? [{ type: 'EndpointChanged', data: { endpointId, settings } }] : [];
      }
      case 'RotateToken':
        return [{ type: 'EndpointTokenRotated', data: { endpointId, tokenHash: command.tokenHash } }];
      case 'RotateSlug': {
        const { slug, at } = command;
        const retryAt = (state.slugRotatedAt ?? -Infinity) + SLUG_COOLDOWN_MS;
        if (at < retryAt) {
          return reject('cooldown', STATE_MESSAGES.slugCooldown({ at: iso(retryAt) }), { retry_at: iso(retryAt) });
        }
        return [{ type: 'EndpointSlugRotated', data: { endpointId, slug, at } }];
      }
      case 'RotateSigningSecret': {
        const { signingSecretId, previousUntil } = command;
        const previousSecretId = state.signingSecretId;
        return [
          { type: 'EndpointSecretRotated', data: { endpointId, signingSecretId, previousSecretId, previousUntil } },
        ];
      }
      case 'DisableEndpoint':
        // Keep the first reason until someone enables the endpoint, but let the owner's reason replace an automatic
        // one.
        if (state.disabledBy !== null && !(command.by === 'owner' && state.disabledBy !== 'owner')) return [];
        return [{ type: 'EndpointDisabled', data: { endpointId, by: command.by, reason: command.reason } }];
      case 'EnableEndpoint':
        return state.disabledBy === null ? [] : [{ type: 'EndpointEnabled', data: { endpointId } }];
      case 'DeleteEndpoint':
        return [{ type: 'EndpointDeleted', data: { endpointId } }];
      case 'AddProjects': {
        const projectIds = [...new Set([...state.settings.projectIds, ...command.projectIds])];
        if (projectIds.length === state.settings.projectIds.length) return [];
        return [{ type: 'EndpointChanged', data: { endpointId, settings: { projectIds } } }];
      }
      case 'RemoveProjects': {
        const projectIds = state.settings.projectIds.filter((id) => !command.projectIds.includes(id));
        if (projectIds.length === state.settings.projectIds.length) return [];
        return [{ type: 'EndpointChanged', data: { endpointId, settings: { projectIds } } }];
      }
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'EndpointCreated') {
      const { ownerId, slug, mode, tokenHash, signingSecretId, settings } = event.data;
      const fresh = { disabledBy: null, slugRotatedAt: null, deleted: false };
      return { ownerId, slug, mode, tokenHash, signingSecretId, settings, ...fresh };
    }
    if (!state) return state;
    switch (event.type) {
      case 'EndpointChanged':
        return { ...state, settings: { ...state.settings, ...event.data.settings } };
      case 'EndpointTokenRotated':
        return { ...state, tokenHash: event.data.tokenHash };
      case 'EndpointSlugRotated':
        return { ...state, slug: event.data.slug, slugRotatedAt: event.data.at };
      case 'EndpointSecretRotated':
        return { ...state, signingSecretId: event.data.signingSecretId };
      case 'EndpointDisabled':
        return { ...state, disabledBy: event.data.by };
      case 'EndpointEnabled':
        return { ...state, disabledBy: null };
      case 'EndpointDeleted':
        return { ...state, deleted: true };
      default:
        return assertNever(event);
    }
  },
};
