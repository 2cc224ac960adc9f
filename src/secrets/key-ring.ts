import { createHmac } from 'node:crypto';

const KEY_BYTES = 32;
/** Length of a key id, in bytes. */
export const KEY_ID_BYTES = 8;

/** A key that encrypts secrets. */
export interface SecretsKey {
  readonly bytes: Buffer;
  /** HMAC of the key, in hex. Identifies the key in the database without revealing it. */
  readonly fingerprint: string;
  /** First characters of the fingerprint. Every value sealed with the key contains them. */
  readonly id: string;
}

const describeKey = (bytes: Buffer): SecretsKey => {
  if (bytes.length !== KEY_BYTES) throw new RangeError(`a secrets key has ${bytes.length} bytes, not ${KEY_BYTES}`);
  const fingerprint = createHmac('sha256', bytes).update('secrets_key_fingerprint').digest('hex');
  return { bytes, fingerprint, id: fingerprint.slice(0, 2 * KEY_ID_BYTES) };
};

/** The keys of a process: SECRETS_KEY, and SECRETS_KEY_PREVIOUS for secrets that SECRETS_KEY cannot open. */
export class KeyRing {
  /** SECRETS_KEY first. */
  readonly keys: readonly SecretsKey[];

  /** @param key 32 bytes @param previous other keys, oldest last @throws RangeError if a key has another length */
  constructor(key: Buffer, previous: readonly Buffer[] = []) {
    const all = [key, ...previous].map(describeKey);
    this.keys = all.filter(({ id }, i) => all.findIndex((one) => one.id === id) === i);
  }

  /** SECRETS_KEY. */
  get first(): SecretsKey {
    return this.keys[0]!;
  }

  /** The last key of SECRETS_KEY_PREVIOUS, or SECRETS_KEY if that list is empty. */
  get oldest(): SecretsKey {
    return this.keys.at(-1)!;
  }

  /** Returns the key with this id; null if the process does not have it. */
  find(id: string): SecretsKey | null {
    return this.keys.find((key) => key.id === id) ?? null;
  }

  /** Returns the key with this fingerprint; null if the process does not have it. */
  findByFingerprint(fingerprint: string): SecretsKey | null {
    return this.keys.find((key) => key.fingerprint === fingerprint) ?? null;
  }
}
