/** An event's entry in the transparency log. */
export interface LogEntry {
  readonly stream: string;
  readonly revision: number;
  /** SHA-256 (hex) over the event together with the previous hash in its stream. */
  readonly hash: string;
}

/** The position of an entry in the signed log. */
export interface ProvedEntry {
  /** From 0. */
  readonly index: number;
  /** Number of entries that the signature covers. */
  readonly size: number;
  readonly origin: string;
}

/** Thrown if this browser cannot check Ed25519 signatures. */
export class UnsupportedBrowser extends Error {}

/**
 * Checks in this browser that the gateway's signed log contains an entry: the leaf, the path to the root, and the
 * signature of the checkpoint (C2SP tlog-proof, signed-note; RFC 9162, 2.1.3.2).
 * @param vkey the log's verifier key
 * @throws UnsupportedBrowser @throws Error if the proof is not valid for this entry
 */
export const verifyProof = async (proof: string, entry: LogEntry, vkey: string): Promise<ProvedEntry> => {
  const end = proof.indexOf('\n\n');
  const [form, indexLine = '', ...path] = proof.slice(0, end).split('\n');
  if (form !== 'c2sp.org/tlog-proof@v1') throw new Error('not a proof');
  const index = Number(/^index (\d+)$/.exec(indexLine)?.[1] ?? NaN);
  const { origin, size, root } = await openCheckpoint(proof.slice(end + 2), vkey);
  if (!(index < size)) throw new Error('the entry is beyond the signed log');
  const { stream, revision, hash } = entry;
  const leaf = await sha256(Uint8Array.of(0), encode(`${stream}\n${revision}\n${hash}\n`));
  if (!isEqual(await climb(leaf, index, size, path.map(fromBase64)), root))
    throw new Error('the path does not lead to the signed root');
  return { index, size, origin };
};

/** Computes the root of the tree from a leaf and its path. */
const climb = async (leaf: Bytes, index: number, size: number, path: readonly Bytes[]): Promise<Bytes> => {
  let [node, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) throw new Error('the path is too long');
    if (node % 2 === 1 || node === last) {
      hash = await sha256(Uint8Array.of(1), sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    } else hash = await sha256(Uint8Array.of(1), hash, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  if (last !== 0) throw new Error('the path is too short');
  return hash;
};

/** Checks the signature of a checkpoint and returns its contents. */
const openCheckpoint = async (note: string, vkey: string): Promise<{ origin: string; size: number; root: Bytes }> => {
  const [name = '', keyId = '', ...rest] = vkey.split('+');
  const typed = fromBase64(rest.join('+'));
  if (typed[0] !== 1 || typed.length !== 33) throw new Error('the log has no Ed25519 key');
  if (toHex((await sha256(encode(`${name}\n`), typed)).subarray(0, 4)) !== keyId)
    throw new Error('the key id is wrong');
  const split = note.lastIndexOf('\n\n');
  const text = note.slice(0, split + 1);
  const line = note
    .slice(split + 2)
    .split('\n')
    .find((each) => each.startsWith(`— ${name} `));
  const signature = fromBase64(line?.split(' ')[2] ?? '');
  if (toHex(signature.subarray(0, 4)) !== keyId) throw new Error('the checkpoint is signed with another key');
  const key = await importKey(typed.slice(1));
  if (!(await crypto.subtle.verify('Ed25519', key, signature.slice(4), encode(text))))
    throw new Error('the signature is wrong');
  const [origin = '', size = '', root = ''] = text.split('\n');
  if (origin !== name || !/^(0|[1-9]\d*)$/.test(size)) throw new Error('the checkpoint is malformed');
  return { origin, size: Number(size), root: fromBase64(root) };
};

const importKey = async (bytes: Bytes): Promise<CryptoKey> => {
  // Pages over plain http, other than localhost, have no WebCrypto.
  if (!('subtle' in crypto)) throw new UnsupportedBrowser('no WebCrypto');
  try {
    return await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
  } catch (cause) {
    throw new UnsupportedBrowser('no Ed25519', { cause });
  }
};

type Bytes = Uint8Array<ArrayBuffer>;

const encode = (text: string): Bytes => new TextEncoder().encode(text);
const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const toHex = (bytes: Bytes): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const isEqual = (a: Bytes, b: Bytes): boolean => a.length === b.length && a.every((byte, at) => byte === b[at]);

const sha256 = async (...parts: readonly Bytes[]): Promise<Bytes> => {
  if (!('subtle' in crypto)) throw new UnsupportedBrowser('no WebCrypto');
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', joined));
};
