const encoder = new TextEncoder();

/** Encodes text as UTF-8. */
export const toBytes = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

// No return type, because Node and browsers name it differently.
const importKey = (key: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);

/** Returns the HMAC-SHA256 of a message as lowercase hex. */
export const signHex = async (key: string, message: string): Promise<string> => {
  const signature = await crypto.subtle.sign('HMAC', await importKey(toBytes(key), 'sign'), toBytes(message));
  return toHex(new Uint8Array(signature));
};

/** Returns whether one of the signatures is the message's HMAC-SHA256. Web Crypto compares them in constant time. */
export const isSigned = async (
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> => {
  const imported = await importKey(key, 'verify');
  const results = await Promise.all(signatures.map((each) => crypto.subtle.verify('HMAC', imported, each, message)));
  return results.includes(true);
};

/** Decodes base64; returns null if the text is not valid base64. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
};

/** Returns a random 128-bit key. `crypto.randomUUID` is not available on pages loaded over plain HTTP. */
export const randomKey = (): string => toHex(crypto.getRandomValues(new Uint8Array(16)));

/** Encodes bytes as lowercase hex. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
