import { getSession } from '../session/session.js';

/**
 * Returns the brand in the gateway's headers and keys. An operator's key that was set by hand may lack the brand; it is
 * then `service`.
 */
export const readBrand = (): string =>
  /^([a-z][a-z0-9-]*)_(?:owner|operator)_/.exec(getSession()?.key ?? '')?.[1] ?? 'service';
