import { getSession } from '../session/session.js';

/**
 * Returns the brand in the gateway's headers and keys, read from the session's key. Returns `service` for a key without
 * a brand, such as an operator's key that was set by hand.
 */
export const readBrand = (): string =>
  /^([a-z][a-z0-9-]*)_(?:owner|operator)_/.exec(getSession()?.key ?? '')?.[1] ?? 'service';
