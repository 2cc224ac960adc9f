import { readText } from '../../app/search.js';

/** Options of a channel's screen, as they stand in its address. */
export interface ChannelSearch {
  /** `1`: the form for a pause is open. */
  readonly pause?: string;
  /** `1`: the form for new credentials is open. */
  readonly credentials?: string;
}

/** Reads the address; ignores what it does not know. */
export const readChannelSearch = (search: Readonly<Record<string, unknown>>): ChannelSearch =>
  readText(search, ['pause', 'credentials']);
