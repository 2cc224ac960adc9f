import { readText } from '../../app/search.js';

/** Options of the request log, as they stand in its address. */
export interface RequestsSearch {
  readonly endpoint?: string;
  readonly status?: string;
  readonly decision?: string;
}

/** Reads the address; ignores what it does not know. */
export const readRequestsSearch = (search: Readonly<Record<string, unknown>>): RequestsSearch =>
  readText(search, ['endpoint', 'status', 'decision']);
