import { readText } from '../../app/search.js';

/** Options of the request log, as they appear in its address. */
export interface RequestsSearch {
  /** Id of the endpoint whose requests are shown. */
  readonly endpoint?: string;
  /** Kind of answer that is shown; all kinds if absent. */
  readonly kind?: string;
  /** Text that the trace, the post, the address or the client contains. */
  readonly find?: string;
  /** Id of the request that is open. */
  readonly open?: string;
}

/** Reads the address; ignores unknown parts. */
export const readRequestsSearch = (search: Readonly<Record<string, unknown>>): RequestsSearch =>
  readText(search, ['endpoint', 'kind', 'find', 'open']);
