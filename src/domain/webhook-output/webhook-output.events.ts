import { type Instant, iso } from '../../kernel/clock.js';
import {
  assertNever,
  type Catalogue,
  type Deed,
  deedOf,
  type DomainEvent,
  type ShownAggregate,
} from '../../kernel/events.js';

/** Kinds of events that a webhook output delivers (D-29). */
export const WEBHOOK_KINDS = [
  'post.published',
  'publication.succeeded',
  'publication.failed',
  'publication.in_doubt',
  'publication.withdrawn',
  'publication.withdraw_failed',
  'publication.edited',
  'publication.edit_failed',
  'post.completed',
  'post.statistics',
  'post.approval_needed',
  'endpoint.disabled',
  'channel.needs_attention',
  'test.ping',
] as const;
/** Kind of event that a webhook output delivers. */
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/**
 * The reason why a webhook output was disabled (management-api.md): its owner, a 410 response, five days of consecutive
 * failures, an unreadable signing secret, or a plan without webhook output.
 */
export type OutputDisabledBy = 'owner' | 'gone' | 'failures' | 'secret' | 'plan';

/** An owner created a webhook output for a project (D-29). */
export type WebhookOutputCreated = DomainEvent<
  'WebhookOutputCreated',
  {
    readonly outputId: string;
    readonly ownerId: string;
    readonly projectId: string;
    readonly url: string;
    readonly kinds: readonly WebhookKind[];
    /** Id of the encrypted signing secret. */
    readonly signingSecretId: string;
  }
>;
/** The owner changed the URL or the event kinds; absent fields are unchanged. */
export type WebhookOutputChanged = DomainEvent<
  'WebhookOutputChanged',
  { readonly outputId: string; readonly url?: string; readonly kinds?: readonly WebhookKind[] }
>;
/** The signing secret was replaced; deliveries are also signed with the old one until `previousUntil` (D-40). */
export type WebhookOutputSecretRotated = DomainEvent<
  'WebhookOutputSecretRotated',
  {
    readonly outputId: string;
    readonly signingSecretId: string;
    readonly previousSecretId: string;
    readonly previousUntil: Instant;
  }
>;
/** The webhook output was disabled: only test pings are delivered. `reason` is human-readable. */
export type WebhookOutputDisabled = DomainEvent<
  'WebhookOutputDisabled',
  { readonly outputId: string; readonly by: OutputDisabledBy; readonly reason: string }
>;
/** The webhook output was enabled; waiting deliveries resume. */
export type WebhookOutputEnabled = DomainEvent<'WebhookOutputEnabled', { readonly outputId: string }>;
/** The webhook output was deleted, by its owner or with its project: nothing more is delivered. Its history is kept. */
export type WebhookOutputDeleted = DomainEvent<'WebhookOutputDeleted', { readonly outputId: string }>;

export type WebhookOutputEvent =
  | WebhookOutputCreated
  | WebhookOutputChanged
  | WebhookOutputSecretRotated
  | WebhookOutputDisabled
  | WebhookOutputEnabled
  | WebhookOutputDeleted;

export const webhookOutputEvents = {
  WebhookOutputCreated: { version: 1 },
  WebhookOutputChanged: { version: 1 },
  WebhookOutputSecretRotated: { version: 1 },
  WebhookOutputDisabled: { version: 1 },
  WebhookOutputEnabled: { version: 1 },
  WebhookOutputDeleted: { version: 1 },
} satisfies Catalogue & Record<WebhookOutputEvent['type'], unknown>;

/** A webhook output as the API shows it, now and in history. */
export type ShownWebhookOutput = {
  readonly id: string;
  readonly owner_id: string;
  readonly project_id: string;
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  readonly is_active: boolean;
  readonly disabled_by: OutputDisabledBy | null;
  /** Who disabled it and why; null while it is enabled. */
  readonly disabled: null | (Deed & { readonly reason: string });
  readonly signing_secret_id: string;
  /** The previous signing secret, which is also used to sign until `until` (D-40). */
  readonly previous_secret: null | { readonly secret_id: string; readonly until: string };
  readonly created_at: string;
  readonly deleted_at: string | null;
};

/** Folds webhook outputs. */
export const shownWebhookOutput: ShownAggregate<ShownWebhookOutput, WebhookOutputEvent> = {
  name: 'webhook-output',
  category: 'webhookOutput',
  version: 1,

  evolve(state, event) {
    const at = iso(event.at);
    if (event.type === 'WebhookOutputCreated') {
      const { outputId: id, ownerId: owner_id, projectId: project_id, url, kinds, signingSecretId } = event.data;
      return {
        id,
        owner_id,
        project_id,
        url,
        kinds,
        is_active: true,
        disabled_by: null,
        disabled: null,
        signing_secret_id: signingSecretId,
        previous_secret: null,
        created_at: at,
        deleted_at: null,
      };
    }
    if (!state) return state;
    switch (event.type) {
      case 'WebhookOutputChanged': {
        const { url = state.url, kinds = state.kinds } = event.data;
        return { ...state, url, kinds };
      }
      case 'WebhookOutputSecretRotated': {
        const { signingSecretId, previousSecretId, previousUntil } = event.data;
        const previous_secret = { secret_id: previousSecretId, until: iso(previousUntil) };
        return { ...state, signing_secret_id: signingSecretId, previous_secret };
      }
      case 'WebhookOutputDisabled': {
        const { by, reason } = event.data;
        return { ...state, is_active: false, disabled_by: by, disabled: { ...deedOf(event), reason } };
      }
      case 'WebhookOutputEnabled':
        return { ...state, is_active: true, disabled_by: null, disabled: null };
      case 'WebhookOutputDeleted':
        return { ...state, deleted_at: at };
      default:
        return assertNever(event);
    }
  },
};
