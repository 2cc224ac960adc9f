import { type Decider, never } from '../../kernel/decider.js';
import type { Instant } from '../../kernel/instant.js';
import { reject } from '../../kernel/result.js';
import type { Address, Attention, ChannelEvent, ChannelSettings, Platform } from './channel.events.js';

/** What can be asked of a channel. `FlagChannel`: the network refused its credential (D-26). */
export type ChannelCommand =
  | {
      readonly type: 'ConnectChannel';
      readonly channelId: string;
      readonly ownerId: string;
      readonly platform: Platform;
      readonly name: string;
      readonly address: Address;
      readonly credentialsId: string;
      readonly settings: ChannelSettings;
    }
  | {
      readonly type: 'ChangeChannel';
      readonly channelId: string;
      readonly name?: string;
      readonly settings?: ChannelSettings;
      readonly enabled?: boolean;
      readonly credentials?: { readonly credentialsId: string; readonly address: Address };
    }
  | { readonly type: 'MoveChannel'; readonly channelId: string; readonly address: Address }
  | {
      readonly type: 'FlagChannel';
      readonly channelId: string;
      readonly credentialsId: string;
      readonly at: Instant;
      /** When the post was accepted that met the refusal. */
      readonly acceptedAt: Instant;
      readonly attention: Attention;
    };

/** A channel as its events leave it; null: there is none. */
export type ChannelState = null | {
  readonly ownerId: string;
  readonly platform: Platform;
  readonly name: string;
  readonly address: Address;
  readonly credentialsId: string;
  readonly settings: ChannelSettings;
  readonly enabled: boolean;
  /** Until when the queue is held for a person (D-26); 0: it is not. */
  readonly attentionUntil: Instant;
};

/** How long a channel waits for a new credential (D-26). */
const ATTENTION_MS = 24 * 3_600_000;

/** One community or chat on one network (D-3). */
export const channel: Decider<ChannelCommand, ChannelState, ChannelEvent, 'not_found' | 'already_exists'> = {
  category: 'channel',
  initial: null,

  decide(command, state) {
    const { channelId } = command;
    if (command.type === 'ConnectChannel') {
      if (state) return reject('already_exists', 'This channel exists already.');
      const { ownerId, platform, name, address, credentialsId, settings } = command;
      return [
        { type: 'ChannelConnected', data: { channelId, ownerId, platform, name, address, credentialsId, settings } },
      ];
    }
    if (!state) return reject('not_found', 'There is no such channel.');
    switch (command.type) {
      case 'ChangeChannel': {
        const { name, settings, enabled, credentials } = command;
        const events: ChannelEvent[] = [];
        if (name !== undefined && name !== state.name)
          events.push({ type: 'ChannelRenamed', data: { channelId, name } });
        if (credentials) events.push({ type: 'ChannelCredentialsReplaced', data: { channelId, ...credentials } });
        const changed = changes(state.settings, settings ?? {});
        if (changed.length > 0) {
          const all = { ...state.settings, ...Object.fromEntries(changed) };
          events.push({ type: 'ChannelSettingsChanged', data: { channelId, settings: all } });
        }
        if (enabled === true && !state.enabled) events.push({ type: 'ChannelEnabled', data: { channelId } });
        if (enabled === false && state.enabled) events.push({ type: 'ChannelDisabled', data: { channelId } });
        return events;
      }
      case 'MoveChannel':
        return [{ type: 'ChannelMoved', data: { channelId, address: command.address } }];
      case 'FlagChannel': {
        // A verdict on a credential that was replaced meanwhile is old news. And a queue is held once: what was accepted
        // before the hold's end has had its time.
        if (command.credentialsId !== state.credentialsId || state.attentionUntil > command.acceptedAt) return [];
        const until = command.at + ATTENTION_MS;
        return [{ type: 'ChannelNeedsAttention', data: { channelId, attention: command.attention, until } }];
      }
      default:
        return never(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'ChannelConnected') {
      const { ownerId, platform, name, address, credentialsId, settings } = event.data;
      return { ownerId, platform, name, address, credentialsId, settings, enabled: true, attentionUntil: 0 };
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
      default:
        return never(event);
    }
  },
};

/** What differs from the settings as they are; a field that is undefined was not sent. */
const changes = (now: ChannelSettings, sent: ChannelSettings) =>
  Object.entries(sent).filter(([name, value]) => value !== undefined && value !== now[name as keyof ChannelSettings]);
