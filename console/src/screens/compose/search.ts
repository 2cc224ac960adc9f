import { readText } from '../../app/search.js';

/** Options of Compose, as they stand in its address. */
export interface ComposeSearch {
  readonly endpoint?: string;
}

/** Reads the address; ignores what it does not know. */
export const readComposeSearch = (search: Readonly<Record<string, unknown>>): ComposeSearch =>
  readText(search, ['endpoint']);
