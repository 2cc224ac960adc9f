import { createManagement, type Management, type Schemas } from '../../../clients/typescript/src/index.js';
import { expireSession, getSession } from '../session/session.js';
import { alignClock } from '../time/server-clock.js';
import { noteAnswer, noteNoAnswer } from './connection.js';

export { GatewayError } from '../../../clients/typescript/src/index.js';

/** A request or response body of the API, by the name of its schema in the API documentation: `Api<'Channel'>`. */
export type Api<Name extends keyof Schemas> = Schemas[Name];

/** Calls the gateway, aligns the clock with it, and records whether it responded. A 401 expires the session. */
const observedFetch = async (url: string, init: RequestInit): Promise<Response> => {
  const sentAt = Date.now();
  try {
    const answer = await fetch(url, init);
    alignClock(answer.headers.get('date'), sentAt, Date.now());
    noteAnswer();
    if (answer.status === 401) expireSession();
    return answer;
  } catch (error) {
    noteNoAnswer();
    throw error;
  }
};

/**
 * Returns a management API client for a key. It makes a single attempt per call, because TanStack Query retries
 * queries.
 */
export const createClient = (key: string): Management =>
  createManagement({ url: location.origin, key, fetch: observedFetch, attempts: 1 });

const clients = new Map<string, Management>();

/** The management API with the session's key: `management().get('/channels', { query: { limit: 200 } })`. */
export const management = (): Management => {
  const key = getSession()?.key ?? '';
  let client = clients.get(key);
  if (!client) {
    clients.clear();
    client = createClient(key);
    clients.set(key, client);
  }
  return client;
};
