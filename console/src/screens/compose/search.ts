import { readText } from '../../app/search.js';

/** Options of Compose, as they appear in its address. */
export interface ComposeSearch {
  readonly endpoint?: string;
  /** A day, `2026-11-27`, to plan a post for. */
  readonly day?: string;
  /** A time of that day, `14:00`. */
  readonly time?: string;
  /** Id of a planned post to change. */
  readonly post?: string;
}

/** Reads the address; ignores unknown parts. */
export const readComposeSearch = (search: Readonly<Record<string, unknown>>): ComposeSearch =>
  readText(search, ['endpoint', 'day', 'time', 'post']);
