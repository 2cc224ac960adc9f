import type { EventStore } from '../../event-store/port.js';
import { findLast } from '../../event-store/read-backwards.js';
import type { SecretVault, UnconfirmedSecret } from '../../secrets/vault.js';
import type { ErasureKind } from './erase-due.js';

/**
 * Erases secrets that no event names, because their command was rejected or interrupted. A secret is stored with the
 * stream that should name it, and checked an hour later, when the command can no longer be running.
 */
export const unnamedSecrets = (vault: SecretVault, store: EventStore): ErasureKind<UnconfirmedSecret> => ({
  name: 'secrets',
  findDue: (limit) => vault.findUnconfirmed(limit),
  async handle(secret) {
    const { id, stream } = secret;
    const isNamed = stream !== null && (await findLast(store, stream, ({ data }) => data.includes(id))) !== null;
    await (isNamed ? vault.confirm(secret) : vault.eraseUnconfirmed(secret));
  },
  postpone: (secret) => vault.postponeCheck(secret),
});
