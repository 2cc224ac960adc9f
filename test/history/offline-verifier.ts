/**
 * A verifier of the transparency log that shares no code with the gateway: the algorithms of RFC 9162 (2.1.3.2,
 * 2.1.4.2) and the formats of C2SP's signed-note, tlog-checkpoint, tlog-tiles and tlog-proof, implemented from their
 * texts.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export const leafHash = (entry: Uint8Array): Buffer => sha256(Uint8Array.of(0), entry);
const nodeHash = (left: Buffer, right: Buffer): Buffer => sha256(Uint8Array.of(1), left, right);

/** Returns the root of leaves: level by level; an odd last node moves up unchanged. */
export const rootOf = (leaves: readonly Buffer[]): Buffer => {
  if (leaves.length === 0) return sha256();
  let level = [...leaves];
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const right = level[i + 1];
      next.push(right ? nodeHash(level[i]!, right) : level[i]!);
    }
    level = next;
  }
  return level[0]!;
};

/** A checkpoint whose signature is valid. */
export interface OpenedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  /** Lines after the root. */
  readonly extension: string;
}

/** Verifies a signed note with a verifier key. @throws Error */
export const openNote = (note: string, vkey: string, { withExtension = false } = {}): OpenedCheckpoint => {
  const [name, keyId, ...rest] = vkey.split('+') as [string, string, ...string[]];
  const typed = Buffer.from(rest.join('+'), 'base64');
  if (typed[0] !== 1 || typed.length !== 33) throw new Error('no Ed25519 key');
  if (
    sha256(Buffer.from(`${name}\n`), typed)
      .subarray(0, 4)
      .toString('hex') !== keyId
  )
    throw new Error('key ID');
  const split = note.lastIndexOf('\n\n');
  const text = note.slice(0, split + 1);
  const line = note
    .slice(split + 2)
    .split('\n')
    .find((each) => each.startsWith(`— ${name} `));
  if (!line) throw new Error('no signature by this key');
  const signature = Buffer.from(line.split(' ')[2]!, 'base64');
  if (signature.subarray(0, 4).toString('hex') !== keyId) throw new Error('signature of another key');
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), typed.subarray(1)]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  if (!verify(null, Buffer.from(text), key, signature.subarray(4))) throw new Error('the signature is wrong');
  const [origin, size, root, ...more] = text.split('\n');
  if (origin !== name || !/^(0|[1-9]\d*)$/.test(size!) || (more.join('') !== '' && !withExtension))
    throw new Error('no checkpoint');
  const extension = more.join('\n').trimEnd();
  return { origin, size: Number(size), root: Buffer.from(root!, 'base64'), extension };
};

/** Verifies a tlog-proof of an entry (RFC 9162, 2.1.3.2). @throws Error */
export const verifyProof = (proof: string, entry: Uint8Array, vkey: string): { index: number; size: number } => {
  const at = proof.indexOf('\n\n');
  const [form, indexLine, ...hashes] = proof.slice(0, at).split('\n');
  if (form !== 'c2sp.org/tlog-proof@v1') throw new Error('no proof');
  const index = Number(/^index (\d+)$/.exec(indexLine!)![1]);
  const { size, root } = openNote(proof.slice(at + 2), vkey);
  if (index >= size) throw new Error('beyond the tree');
  let [fn, sn] = [index, size - 1];
  let hash = leafHash(entry);
  for (const sibling of hashes.map((text) => Buffer.from(text, 'base64'))) {
    if (sn === 0) throw new Error('too many hashes');
    if (fn % 2 === 1 || fn === sn) {
      hash = nodeHash(sibling, hash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else hash = nodeHash(hash, sibling);
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  if (sn !== 0 || !hash.equals(root)) throw new Error('the proof does not lead to the root');
  return { index, size };
};

/** Splits a bundle of entries. */
export const splitBundle = (bundle: Buffer): Buffer[] => {
  const entries: Buffer[] = [];
  for (let at = 0; at < bundle.length;) {
    const length = bundle.readUInt16BE(at);
    entries.push(bundle.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return entries;
};
