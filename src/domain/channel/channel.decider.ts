import type { Instant } from '../../kernel/clock.js';
import { assertNever, type Decider } from '../../kernel/events.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import { STATE_MESSAGES } from '../messages.js';
import type { Address, Attention, ChannelConnected, ChannelEvent, ChannelSettings } from './channel.events.js';

/**
 * Commands to a channel. `FlagChannel`: a network refused a post for a reason that would stop every later post too
 * (D-26, D-50). `RetryChannel`: someone has fixed the cause and requests another attempt.
 */
export type ChannelCommand =
  | ({ readonly type: 'ConnectChannel' } & ChannelConnected['data'])
  | {
      readonly type: 'ChangeChannel';
      readonly channelId: string;
      readonly name?: string;
      readonly settings?: ChannelSettings;
      readonly enabled?: boolean;
      readonly credentials?: { readonly credentialsId: string; readonly address: Address };
    }
  | { readonly type: 'DeleteChannel'; readonly channelId: string }
  | { readonly type: 'MoveChannel'; readonly channelId: string; readonly address: Address }
  | {
      readonly type: 'FlagChannel';
      readonly channelId: string;
      /** Credentials used for the refused call. If they have since been replaced, the command has no effect. */
      readonly credentialsId: string;
      /** Time of the refusal. */
      readonly at: Instant;
      /** Time at which the refused post was accepted. */
      readonly acceptedAt: Instant;
      readonly attention: Attention;
    }
  | { readonly type: 'RetryChannel'; readonly channelId: string; readonly at: Instant };

/** State of a channel; null if it does not exist. */
export type ChannelState =
  | null
  | (Omit<ChannelConnected['data'], 'channelId'> & {
      readonly enabled: boolean;
      /** Time at which the channel stops waiting for someone to fix it (D-26); 0 if it is not waiting. */
      readonly attentionUntil: Instant;
      /** True if the channel was deleted: every command is then rejected as if the channel did not exist. */
      readonly deleted: boolean;
    });

/** How long a channel waits for someone to fix it (D-26), in ms. */
const ATTENTION_MS = 24 * 3_600_000;

type ChannelRejection = 'not_found' | 'already_exists' | 'channel_disabled' | 'nothing_to_retry';

/** A community or chat on one network (D-3). */
export const channel: Decider<ChannelCommand, ChannelState, ChannelEvent, ChannelRejection> = {
  category: 'channel',
  initial: null,
  snapshotVersion: 2,

  ownerOf: (state) => state?.ownerId ?? null,

  decide(command, state) {
    const { channelId } = command;
    if (command.type === 'ConnectChannel') {
      if (state) return reject('already_exists', STATE_MESSAGES.alreadyExists({ what: 'channel' }));
      const { ownerId, platform, name, address, credentialsId, settings } = command;
      return [
        { type: 'ChannelConnected', data: { channelId, ownerId, platform, name, address, credentialsId, settings } },
      ];
    }
    if (!state || state.deleted) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'channel' }));
    switch (command.type) {
      case 'ChangeChannel': {
        const { name, settings, enabled, credentials } = command;
        const events: ChannelEvent[] = [];
        if (name !== undefined && name !== state.name)
          events.push({ type: 'ChannelRenamed', data: { channelId, name } });
        if (credentials) events.push({ type: 'ChannelCredentialsReplaced', data: { channelId, ...credentials } });
        const changed = findChanges(state.settings, settings ?? {});
        if (changed.length > 0) {
          const all = { ...state.settings, ...Object.fromEntries(changed) };
          events.push({ type: 'ChannelSettingsChanged', data: { channelId, settings: all } });
        }
        if (enabled === true && !state.enabled) events.push({ type: 'ChannelEnabled', data: { channelId } });
        if (enabled === false && state.enabled) events.push({ type: 'ChannelDisabled', data: { channelId } });
        return events;
      }
      case 'DeleteChannel':
        return [{ type: 'ChannelDeleted', data: { channelId } }];
      case 'MoveChannel':
        return [{ type: 'ChannelMoved', data: { channelId, address: command.address } }];
      case 'FlagChannel': {
        // Ignore a refusal of credentials that have since been replaced. A post must not wait twice: if it was accepted
        // before an earlier wait ended, that wait has already delayed it.
        if (command.credentialsId !== state.credentialsId || state.attentionUntil > command.acceptedAt) return [];
        const until = command.at + ATTENTION_MS;
        return [{ type: 'ChannelNeedsAttention', data: { channelId, attention: command.attention, until } }];
      }
      case 'RetryChannel': {
        const isRefused = state.attentionUntil > command.at;
        if (!state.enabled) {
          const { channelDisabled, channelDisabledAndRefused } = STATE_MESSAGES;
          return reject('channel_disabled', isRefused ? channelDisabledAndRefused : channelDisabled);
        }
        if (!isRefused) return reject('nothing_to_retry', STATE_MESSAGES.nothingToRetry);
        return [{ type: 'ChannelAttentionCleared', data: { channelId } }];
      }
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'ChannelConnected') {
      const { ownerId, platform, name, address, credentialsId, settings } = event.data;
      const fresh = { enabled: true, attentionUntil: 0, deleted: false };
      return { ownerId, platform, name, address, credentialsId, settings, ...fresh };
    }
    if (!state) return state;
    switch (event.type) {
      case 'ChannelRenamed':
        return { ...state, name: event.data.name };
      case 'ChannelCredentialsReplaced': {
        const { credentialsId, address } = event.data;
        return { ...state, credentialsId, address, attentionUntil: 0 };
      }
      case 'ChannelSettingsChanged':
        return { ...state, settings: event.data.settings };
      case 'ChannelMoved':
        return { ...state, address: event.data.address };
      case 'ChannelEnabled':
        return { ...state, enabled: true };
      case 'ChannelDisabled':
        return { ...state, enabled: false };
      case 'ChannelNeedsAttention':
        return { ...state, attentionUntil: event.data.until };
      case 'ChannelAttentionCleared':
        return { ...state, attentionUntil: 0 };
      case 'ChannelDeleted':
        return { ...state, deleted: true };
      default:
        return assertNever(event);
    }
  },
};

/** Lists the settings that differ from the current ones; an undefined field was not sent. */
const findChanges = (now: ChannelSettings, sent: ChannelSettings) =>
  Object.entries(sent).filter(([name, value]) => value !== undefined && value !== now[name as keyof ChannelSettings]);
