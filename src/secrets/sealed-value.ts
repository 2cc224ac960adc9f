import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { KEY_ID_BYTES, type KeyRing, type SecretsKey } from './key-ring.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** First bytes of a value that contains its key's id. Values in the former format begin with random bytes. */
const MARK = Buffer.from('cps1');
/** Number of bytes before the nonce in a value that contains its key's id. */
export const HEADER_BYTES = MARK.length + KEY_ID_BYTES;

/** Returns the first bytes of all values that the key seals. */
export const headerOf = ({ id }: SecretsKey): Buffer => Buffer.concat([MARK, Buffer.from(id, 'hex')]);

/** Returns the id of the key that sealed a value; null for a value in the former format, which lacks the id. */
export const keyIdOf = (sealed: Buffer): string | null =>
  sealed.length >= HEADER_BYTES && sealed.subarray(0, MARK.length).equals(MARK)
    ? sealed.toString('hex', MARK.length, HEADER_BYTES)
    : null;

/**
 * Encrypts text with AES-256-GCM. The result consists of the mark, the key id, the nonce, the tag and the ciphertext.
 * The name is authenticated too, so that one value cannot replace another.
 */
export const sealValue = (key: SecretsKey, name: string, text: string): Buffer => {
  const header = headerOf(key);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, iv).setAAD(Buffer.concat([header, Buffer.from(name)]));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([header, iv, cipher.getAuthTag(), sealed]);
};

/** Decrypts a value in either format with the key that sealed it. @throws Error if no key opens it */
export const openValue = (ring: KeyRing, name: string, sealed: Buffer): string => {
  const id = keyIdOf(sealed);
  const named = id === null ? null : ring.find(id);
  if (named) {
    const authenticated = Buffer.concat([sealed.subarray(0, HEADER_BYTES), Buffer.from(name)]);
    return decrypt(named, authenticated, sealed.subarray(HEADER_BYTES));
  }
  // In the former format, the random bytes may happen to look like a mark.
  let failure: unknown = null;
  for (const key of ring.keys)
    try {
      return decrypt(key, Buffer.from(name), sealed);
    } catch (error) {
      failure ??= error;
    }
  throw failure;
};

const decrypt = (key: SecretsKey, authenticated: Buffer, bytes: Buffer): string => {
  const iv = bytes.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, iv, { authTagLength: TAG_BYTES })
    .setAAD(authenticated)
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
};
