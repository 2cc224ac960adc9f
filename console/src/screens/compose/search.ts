import { readText } from '../../app/search.js';

/** Options for Compose, as they appear in the address bar. */
export interface ComposeSearch {
  readonly endpoint?: string;
  /** The day to plan a post for: `2026-11-27`. */
  readonly day?: string;
  /** The time on that day: `14:00`. */
  readonly time?: string;
  /** Id of the planned post to edit. */
  readonly post?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readComposeSearch = (search: Readonly<Record<string, unknown>>): ComposeSearch =>
  readText(search, ['endpoint', 'day', 'time', 'post']);
