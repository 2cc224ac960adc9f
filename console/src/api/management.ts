import { QueryClient } from '@tanstack/react-query';
import {
  createManagement,
  GatewayError,
  type Management,
  type Schemas,
} from '../../../clients/typescript/src/index.js';
import { getLocale, onLocaleChange } from '../i18n/messages.js';
import { expireSession } from '../session/session.js';
import { alignClock } from '../time/server-clock.js';
import { noteAnswer, noteNoAnswer } from './connection.js';
import { CONSOLE_HEADER, fetchTimed, takeEarly } from './early-calls.js';
import { checkRelease } from './release.js';

export { GatewayError };

/** A request or response body of the API, by the name of its schema in the API documentation: `Api<'Channel'>`. */
export type Api<Name extends keyof Schemas> = Schemas[Name];

/**
 * Calls the gateway, which answers in the reader's language. Aligns the clock with it, and records whether it responded.
 * A 401 expires the session. After a 403, this tab learns what the person may do by now.
 */
const observedFetch = async (url: string, init: RequestInit): Promise<Response> => {
  try {
    const { authorization, ...rest } = init.headers as Readonly<Record<string, string>>;
    const headers = {
      ...rest,
      // Without a key, the session's cookie authenticates. Pages of other sites cannot send this header.
      ...(authorization === undefined || authorization === NO_KEY ? CONSOLE_HEADER : { authorization }),
      'accept-language': getLocale(),
    };
    const asked = init.method === 'GET' ? takeEarly(url) : undefined;
    const { answer, sentAt, receivedAt } = await (asked ?? fetchTimed(url, { ...init, headers }));
    alignClock(answer.headers.get('date'), sentAt, receivedAt);
    noteAnswer();
    if (answer.status === 401) expireSession();
    if (answer.status === 403) noteRefusal();
    return answer;
  } catch (error) {
    noteNoAnswer();
    throw error;
  }
};

/**
 * The screens offer only what a key may do, so a refusal means that the rights of the key have changed, or the rules of
 * a newer release.
 */
const noteRefusal = (): void => {
  void queryClient.invalidateQueries({ queryKey: ['me'] }, { cancelRefetch: false });
  checkRelease();
};

/** How the typed client sends an empty key. */
const NO_KEY = 'Bearer ';

/**
 * Returns a management API client for a key, or for the session's cookie if the key is empty. It makes a single attempt per call, because TanStack Query retries
 * queries.
 */
export const createClient = (key: string): Management =>
  createManagement({ url: location.origin, key, fetch: observedFetch, attempts: 1 });

let client: Management | undefined;

/** The management API with the session's cookie: `management().get('/channels', { query: { limit: 200 } })`. */
export const management = (): Management => (client ??= createClient(''));

/**
 * Returns whether to retry: up to three times for lost connections, 429 and 5xx. Retrying would not help with other
 * errors.
 */
const shouldRetry = (failures: number, error: unknown): boolean =>
  failures < 3 && error instanceof GatewayError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Returns the retry delay in ms, at most 30 s: Retry-After if the gateway sent it, otherwise exponential backoff. */
const retryDelay = (failures: number, error: unknown): number => {
  const asked = error instanceof GatewayError ? error.retryAfter : null;
  return Math.min(asked === null ? 1000 * 2 ** failures : asked * 1000, 30_000);
};

/**
 * Caches the gateway's responses. They stay current until the change stream marks them as stale (live/invalidate.ts),
 * so nothing is fetched again when a window receives focus.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // The browser's online state says nothing about a gateway on this machine or network.
      networkMode: 'always',
      retry: shouldRetry,
      retryDelay,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

onLocaleChange(() => void queryClient.invalidateQueries());

/** Problems in a request body, by field path: `credentials.chat_id`. */
export type Problems = Readonly<Record<string, Api<'ErrorDetail'>>>;

/** Thrown by a form that does not send what it can see is wrong. */
export class FieldProblems extends Error {
  constructor(readonly problems: Problems) {
    super(Object.keys(problems).join());
  }
}

/**
 * Returns the problems in a rejected request body, or those that the form found itself. Null for other errors, and if any problem has no field and so needs
 * a general message.
 */
export const readProblems = (error: unknown): Problems | null => {
  if (error instanceof FieldProblems) return error.problems;
  if (!(error instanceof GatewayError) || error.status !== 422) return null;
  const inFields = error.details.filter(({ path }) => path !== '');
  if (inFields.length === 0 || inFields.length < error.details.length) return null;
  const problems: Record<string, Api<'ErrorDetail'>> = {};
  for (const detail of inFields) problems[detail.path] ??= detail;
  return problems;
};

/** Returns the problem for a field that was left empty. */
export const missingProblem = (path: string): Problems => ({ [path]: { path, code: 'missing', message: path } });

/** Returns the gateway's message about a field, without the leading path: "Must be a number such as …". */
export const problemText = ({ path, message }: Api<'ErrorDetail'>): string => {
  const text = message.startsWith(path) ? message.slice(path.length).trimStart() : message;
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Returns whether a problem is just that the field is empty. */
export const isMissing = ({ code }: Api<'ErrorDetail'>): boolean => code === 'empty' || code === 'missing';
