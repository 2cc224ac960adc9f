import { getSession } from '../session/session.js';

/** Returns the brand in the gateway's headers and keys. */
export const readBrand = (): string => getSession()?.brand ?? 'service';
