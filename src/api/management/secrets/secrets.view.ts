import type { KeyStatusReport } from '../../../secrets/key-status.js';

/** The ids of the keys that seal stored secrets, and the progress of replacing SECRETS_KEY. */
export class SecretsView {
  /** Id of the SECRETS_KEY of the responding process. */
  readonly key: string;
  /** Id of the key that seals new secrets; differs from `key` until the secrets are resealed. */
  readonly active_key: string;
  /** Ids of the keys in SECRETS_KEY_PREVIOUS. */
  readonly previous_keys: readonly string[];
  /** Ids of old keys that must stay in SECRETS_KEY_PREVIOUS: without them, no process can start. */
  readonly needed_keys: readonly string[];
  /** Number of stored secrets. */
  readonly secrets: number;
  /** Number of stored secrets that are not sealed with `key`. */
  readonly sealed_otherwise: number;

  constructor({ configured, active, previous, needed, secrets, sealedOtherwise }: KeyStatusReport) {
    this.key = configured.id;
    this.active_key = active.id;
    this.previous_keys = previous.map(({ id }) => id);
    this.needed_keys = needed;
    this.secrets = secrets;
    this.sealed_otherwise = sealedOtherwise;
  }
}
