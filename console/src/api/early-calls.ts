import { readLocale } from '../i18n/locale.js';
import { readSession } from '../session/kept-session.js';

/** Marks the console's own requests, which its cookie authenticates. */
export const CONSOLE_HEADER = { 'x-console': '1' } as const;

/** Addresses that the typed client asks for as well, for the first pages of an owner's lists. */
export const FIRST_PAGES = {
  channels: '/channels?limit=200',
  endpoints: '/endpoints?limit=200',
  projects: '/projects?limit=200',
} as const;
export const OVERVIEW = '/overview';

/** An answer, and when it was asked for and came, in ms since 1970. */
interface Timed {
  readonly answer: Response;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Calls the gateway. */
export const fetchTimed = async (url: string, init: RequestInit): Promise<Timed> => {
  const sentAt = Date.now();
  const answer = await fetch(url, init);
  return { answer, sentAt, receivedAt: Date.now() };
};

/** How long an early answer may be used, in ms since the page was opened. */
const USED_MS = 30_000;
const early = new Map<string, Promise<Timed>>();

/**
 * Asks what a screen of an owner needs, before the scripts that show it have arrived: over a slow line, the answer then
 * comes with them, not a second later. The first call of the same address takes the answer.
 */
export const callEarly = (...addresses: readonly string[]): void => {
  const session = readSession(() => sessionStorage);
  // Some of these calls are refused for a key that is limited to endpoints.
  if (session?.role !== 'owner' || Array.isArray(session.key?.endpoint_ids)) return;
  const headers = { ...CONSOLE_HEADER, 'accept-language': readLocale() };
  for (const address of addresses) {
    const url = `${location.origin}/manage/v1${address}`;
    const answer = fetchTimed(url, { headers, redirect: 'manual' });
    answer.catch(() => undefined); // the call that takes it sees the error
    early.set(url, answer);
  }
};

/** Returns the answer that was asked for early, once; undefined if it was not. */
export const takeEarly = (url: string): Promise<Timed> | undefined => {
  const answer = performance.now() < USED_MS ? early.get(url) : undefined;
  early.delete(url);
  return answer;
};

/** True if an address was asked for early, and nothing has taken the answer yet. */
export const isAskedEarly = (address: string): boolean => early.has(`${location.origin}/manage/v1${address}`);

/** Returns the answer that was asked for early, for a look at it; undefined if it was not. */
export const lookAtEarly = async (address: string): Promise<unknown> => {
  const timed = await early.get(`${location.origin}/manage/v1${address}`);
  return timed?.answer.ok ? timed.answer.clone().json() : undefined;
};
