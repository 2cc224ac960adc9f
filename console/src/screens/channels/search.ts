import { readText } from '../../app/search.js';

/** Options for a channel's screen, as they appear in the URL. */
export interface ChannelSearch {
  /** `1` if the pause form is open. */
  readonly pause?: string;
  /** `1` if the credentials form is open. */
  readonly credentials?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readChannelSearch = (search: Readonly<Record<string, unknown>>): ChannelSearch =>
  readText(search, ['pause', 'credentials']);

/** The filters of the list of channels, as they appear in the URL. */
export interface ChannelsSearch {
  /** A state from channels/channel-status.tsx; all states if absent. */
  readonly state?: string;
  readonly network?: string;
  /** Part of a name, a chat or a project. */
  readonly find?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readChannelsSearch = (search: Readonly<Record<string, unknown>>): ChannelsSearch =>
  readText(search, ['state', 'network', 'find']);
