import { setSession } from './session.js';

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
