import { createClient } from '../api/management.js';
import { getOverview } from '../api/overview.js';
import { getSession, setSession } from './session.js';
import { forgetSession } from './session-end.js';

/**
 * Starts a session with a key.
 * @throws GatewayError with status 401 if the gateway does not know the key
 */
export const signIn = async (key: string): Promise<void> => {
  const { role, owner } = await getOverview(createClient(key), {});
  const former = getSession();
  // Someone else signs in on the screen of an expired session: nothing of the former person may remain.
  if (former && (former.role !== role || (role === 'owner' && former.owner?.id !== owner?.id))) forgetSession();
  setSession({ key, role, owner: owner && { id: owner.id, name: owner.name } });
};

/**
 * Signs in with the one-time code in the URL's fragment (`#code=…`), which `npm start` prints in demo mode. The code is
 * removed from the address bar at once. Without a valid code, the sign-in form appears.
 */
export const signInWithCode = async (): Promise<void> => {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await fetch('/manage/v1/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  }).catch(() => null);
  if (!answer?.ok) return;
  const { key, owner } = (await answer.json()) as { key: string; owner: { id: string; name: string } };
  setSession({ key, role: 'owner', owner });
};
