import { readText } from '../../app/search.js';

/** Request log options, as they appear in the address bar. */
export interface RequestsSearch {
  /** Id of the endpoint whose requests are shown. */
  readonly endpoint?: string;
  /** Type of response to show; all types if absent. */
  readonly kind?: string;
  /** Text to find in a request's id, trace id, post id, IP address or client. */
  readonly find?: string;
  /** Id of the expanded request. */
  readonly open?: string;
}

/** Reads the URL; ignores unknown parameters. */
export const readRequestsSearch = (search: Readonly<Record<string, unknown>>): RequestsSearch =>
  readText(search, ['endpoint', 'kind', 'find', 'open']);
