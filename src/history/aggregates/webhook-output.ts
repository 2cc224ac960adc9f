import type {
  OutputDisabledBy,
  WebhookKind,
  WebhookOutputEvent,
} from '../../domain/webhook-output/webhook-output.events.js';
import { iso } from '../../kernel/clock.js';
import { assertNever } from '../../kernel/events.js';
import { type Deed, deedOf, type HistoryAggregate } from './history-aggregate.js';

/** The history of a webhook output. */
export type WebhookOutputHistory = {
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
export const webhookOutputHistory: HistoryAggregate<WebhookOutputHistory, WebhookOutputEvent> = {
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
