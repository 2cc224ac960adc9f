import { assertNever, type Decider } from '../../kernel/events.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import { STATE_MESSAGES } from '../messages.js';
import type {
  OutputDisabledBy,
  WebhookKind,
  WebhookOutputCreated,
  WebhookOutputDisabled,
  WebhookOutputEvent,
  WebhookOutputSecretRotated,
} from './webhook-output.events.js';

/** Commands to a webhook output. They carry a secret's id, never the secret. */
export type WebhookOutputCommand =
  | ({ readonly type: 'CreateOutput' } & WebhookOutputCreated['data'])
  | {
      readonly type: 'ChangeOutput';
      readonly outputId: string;
      readonly url?: string | undefined;
      readonly kinds?: readonly WebhookKind[] | undefined;
    }
  | ({ readonly type: 'RotateOutputSecret' } & Omit<WebhookOutputSecretRotated['data'], 'previousSecretId'>)
  | ({ readonly type: 'DisableOutput' } & WebhookOutputDisabled['data'])
  | { readonly type: 'EnableOutput'; readonly outputId: string }
  | { readonly type: 'DeleteOutput'; readonly outputId: string };

/** State of a webhook output; null if it does not exist. */
export type WebhookOutputState =
  | null
  | (Omit<WebhookOutputCreated['data'], 'outputId'> & {
      readonly disabledBy: OutputDisabledBy | null;
      /** True if the output was deleted: every command is then rejected as if the output did not exist. */
      readonly deleted: boolean;
    });

/** A customer's URL that receives signed events of a project (D-29). */
export const webhookOutput: Decider<
  WebhookOutputCommand,
  WebhookOutputState,
  WebhookOutputEvent,
  'not_found' | 'already_exists'
> = {
  category: 'webhookOutput',
  initial: null,

  ownerOf: (state) => state?.ownerId ?? null,

  decide(command, state) {
    const { outputId } = command;
    if (command.type === 'CreateOutput') {
      if (state) return reject('already_exists', STATE_MESSAGES.alreadyExists({ what: 'webhook output' }));
      const { type: _, ...data } = command;
      return [{ type: 'WebhookOutputCreated', data }];
    }
    if (!state || state.deleted) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'webhook output' }));
    switch (command.type) {
      case 'ChangeOutput': {
        const { url, kinds } = command;
        const change = {
          ...(url !== undefined && url !== state.url && { url }),
          ...(kinds !== undefined && kinds.join() !== state.kinds.join() && { kinds }),
        };
        return Object.keys(change).length > 0 ? [{ type: 'WebhookOutputChanged', data: { outputId, ...change } }] : [];
      }
      case 'RotateOutputSecret': {
        const { signingSecretId, previousUntil } = command;
        const previousSecretId = state.signingSecretId;
        const data = { outputId, signingSecretId, previousSecretId, previousUntil };
        return [{ type: 'WebhookOutputSecretRotated', data }];
      }
      case 'DisableOutput': {
        // Keep the first reason until someone enables the output, but let the owner's reason replace an automatic one,
        // and the plan's reason replace any other. With the plan's reason, not even test pings are sent.
        const { by, reason } = command;
        const replaces = state.disabledBy === null || (by === 'plan' && state.disabledBy !== 'plan');
        if (!replaces && !(by === 'owner' && state.disabledBy !== 'owner' && state.disabledBy !== 'plan')) return [];
        return [{ type: 'WebhookOutputDisabled', data: { outputId, by, reason } }];
      }
      case 'EnableOutput':
        return state.disabledBy === null ? [] : [{ type: 'WebhookOutputEnabled', data: { outputId } }];
      case 'DeleteOutput':
        return [{ type: 'WebhookOutputDeleted', data: { outputId } }];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'WebhookOutputCreated') {
      const { ownerId, projectId, url, kinds, signingSecretId } = event.data;
      return { ownerId, projectId, url, kinds, signingSecretId, disabledBy: null, deleted: false };
    }
    if (!state) return state;
    switch (event.type) {
      case 'WebhookOutputChanged': {
        const { url = state.url, kinds = state.kinds } = event.data;
        return { ...state, url, kinds };
      }
      case 'WebhookOutputSecretRotated':
        return { ...state, signingSecretId: event.data.signingSecretId };
      case 'WebhookOutputDisabled':
        return { ...state, disabledBy: event.data.by };
      case 'WebhookOutputEnabled':
        return { ...state, disabledBy: null };
      case 'WebhookOutputDeleted':
        return { ...state, deleted: true };
      default:
        return assertNever(event);
    }
  },
};
