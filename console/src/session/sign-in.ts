import { createClient } from '../api/management.js';
import { getOverview } from '../api/overview.js';
import { setSession } from './session.js';

/**
 * Starts a session with a key.
 * @throws GatewayError with status 401 if the gateway does not know the key
 */
export const signIn = async (key: string): Promise<void> => {
  const { role, owner } = await getOverview(createClient(key), {});
  setSession({ key, role, owner: owner && { id: owner.id, name: owner.name } });
};
