import { readText } from '../../app/search.js';

/** Options of a channel's screen, as they appear in its address. */
export interface ChannelSearch {
  /** `1` if the form for a pause is open. */
  readonly pause?: string;
  /** `1` if the form for new credentials is open. */
  readonly credentials?: string;
}

/** Reads the address; ignores unknown parts. */
export const readChannelSearch = (search: Readonly<Record<string, unknown>>): ChannelSearch =>
  readText(search, ['pause', 'credentials']);

/** The filters of the list of channels, as they appear in its address. */
export interface ChannelsSearch {
  /** A state of channels/channel-status.tsx; all states if absent. */
  readonly state?: string;
  readonly network?: string;
  /** Part of a name, a chat or a project. */
  readonly find?: string;
}

/** Reads the address; ignores unknown parts. */
export const readChannelsSearch = (search: Readonly<Record<string, unknown>>): ChannelsSearch =>
  readText(search, ['state', 'network', 'find']);
