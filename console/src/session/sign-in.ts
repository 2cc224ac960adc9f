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
