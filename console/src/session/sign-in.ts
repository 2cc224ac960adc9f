import { createClient, GatewayError, management } from '../api/management.js';
import { getSession, readSharedSession, setSession } from './session.js';
import { announceSignIn, endSignIn, noteLink } from './session-end.js';

/**
 * Starts a session with a key, in all tabs. The key is exchanged for a cookie, and forgotten.
 * @param isRemembered true to stay signed in on this device after the browser is closed
 * @throws GatewayError with status 401 if the gateway does not know the key
 */
export const signIn = async (key: string, isRemembered = false): Promise<void> => {
  const { brand } = await createClient(key).post('/sessions', { body: { remember: isRemembered } });
  const { owner, key: rights } = await management().get('/me');
  // An auditor of all owners sees what the operator sees.
  announceSignIn({ brand, role: owner === null ? 'operator' : 'owner', owner, key: rights });
};

/** Continues the sign-in of another tab in a tab that has just been opened, if the gateway still knows it. */
const continueSession = async (): Promise<void> => {
  const shared = readSharedSession();
  if (getSession() !== null || shared === null) return;
  try {
    await management().get('/sessions');
    setSession(shared);
  } catch (error) {
    if (error instanceof GatewayError && error.status === 401) endSignIn();
    else setSession(shared); // the screens say that the gateway does not respond
  }
};

/** Returns the key for a one-time code, which `npm start` prints in demo mode; null if the code is used or expired. */
const redeemCode = async (code: string): Promise<string | null> => {
  const answer = await fetch('/manage/v1/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  }).catch(() => null);
  return answer?.ok ? ((await answer.json()) as { readonly key: string }).key : null;
};

/**
 * Signs in with the link that was opened, if it has a one-time code (`#code=…`) or the key of an invitation (`#key=…`),
 * or as in the other tabs. The code or key is removed from the address bar at once. If the link no longer works, the
 * sign-in form says so.
 */
export const signInAtStart = async (): Promise<void> => {
  const link = new URLSearchParams(location.hash.slice(1));
  const code = link.get('code');
  if (code === null && link.get('key') === null) return continueSession();
  history.replaceState(null, '', location.pathname + location.search);
  const key = code === null ? link.get('key') : await redeemCode(code);
  try {
    if (key !== null) return await signIn(key);
  } catch {
    // Refused, or unreachable: the form says what to do.
  }
  noteLink();
  return continueSession();
};
