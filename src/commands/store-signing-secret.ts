import type { CommandContext } from '../event-store/codec.js';
import { streamOf } from '../kernel/events.js';
import { deriveUuid } from '../kernel/ids.js';
import type { SecretVault } from '../secrets/vault.js';

/** Encrypts and stores an aggregate's signing secret. Returns its id, which is the same if the command is repeated. */
export const storeSigningSecret = (
  vault: SecretVault,
  decider: { readonly category: string },
  id: string,
  secret: string,
  { commandId }: CommandContext,
): Promise<string> => vault.storeSecret({ secret }, streamOf(decider, id), deriveUuid(`${commandId}/signing-secret`));
