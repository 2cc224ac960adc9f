import { createClient } from '../api/management.js';
import { getOverview } from '../api/overview.js';
import { setSession } from './session.js';

/**
 * Starts a session with a key.
 * @throws GatewayError with status 401 for a key that the gateway does not know
 */
export const signIn = async (key: string): Promise<void> => {
  const { role, owner } = await getOverview(createClient(key), {});
  setSession({ key, role, owner: owner && { id: owner.id, name: owner.name } });
};
