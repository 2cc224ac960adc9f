import { readText } from '../../app/search.js';

/** Options for the request log, as they appear in the address bar. */
export interface RequestsSearch {
  /** Id of the endpoint whose requests are shown. */
  readonly endpoint?: string;
  /** Kind of response to show; all kinds if absent. */
  readonly kind?: string;
  /** Text to find in a request's id, trace id, post id, IP address or client. */
  readonly find?: string;
  /** Id of the request that is open. */
  readonly open?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readRequestsSearch = (search: Readonly<Record<string, unknown>>): RequestsSearch =>
  readText(search, ['endpoint', 'kind', 'find', 'open']);
