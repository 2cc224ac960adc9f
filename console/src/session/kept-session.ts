import type { KeyRights } from '../../../clients/typescript/src/index.js';

/**
 * The signed-in person. All tabs share one sign-in: its secret is in a cookie that no script can read, and the key is
 * kept nowhere in the browser.
 */
export interface Session {
  /** The name in the gateway's headers and keys: `service`. */
  readonly brand: string;
  readonly role: 'owner' | 'operator';
  /** The owner whose data is shown; null if the operator sees all owners. */
  readonly owner: { readonly id: string; readonly name: string } | null;
  /** What the key may do; null for the operator. */
  readonly key: KeyRights | null;
}

/** Prefix of everything that the console keeps in this tab: who is signed in, the drafts. */
export const PREFIX = 'crosspost.';
export const STORAGE_KEY = `${PREFIX}session`;

/** Returns the session that a storage keeps; null if there is none. */
export const readSession = (storage: () => Storage): Session | null => {
  try {
    return JSON.parse(storage().getItem(STORAGE_KEY) ?? 'null') as Session | null;
  } catch {
    return null; // not JSON, so the console did not write it; or no browser
  }
};
