/**
 * Verifies events as a browser can: with WebCrypto and the JSON of the management API alone (docs/verification.md). It shares
 * no code with the gateway.
 */
const { subtle } = globalThis.crypto;
const utf8 = new TextEncoder();

/** The members of an event that verification needs. */
export interface EventJson {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly stream: string;
  readonly revision: number;
  readonly at: string;
  readonly actor: string;
  readonly request_id: string;
  readonly causation_id: string;
  readonly correlation_id: string;
  readonly ip: string | null;
  readonly data: unknown;
  /** The stored form of the data, if content in it is sealed. */
  readonly sealed?: unknown;
  readonly hash: string;
}

const sha256 = async (...parts: readonly Uint8Array[]): Promise<Uint8Array> => {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await subtle.digest('SHA-256', joined));
};

const toHex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

/** Computes the hash of an event from its JSON and the hash of the event before it in its stream; empty for the first one. */
export const computeHash = async (event: EventJson, previousHash: string): Promise<string> => {
  const { version, actor, request_id, causation_id, correlation_id } = event;
  const { ip, data } = event.sealed === undefined ? event : { ip: null, data: event.sealed };
  const envelope = { version, at: Date.parse(event.at), actor, request_id, causation_id, correlation_id, ip };
  const lines = [previousHash, event.stream, event.revision, event.id, event.type];
  const text = [...lines, JSON.stringify(envelope), JSON.stringify(data)].join('\n');
  return toHex(await sha256(utf8.encode(text)));
};

/** Verifies the signature of a checkpoint. Returns the size and the root of its tree. @throws Error */
const openCheckpoint = async (note: string, vkey: string): Promise<{ size: number; root: string }> => {
  const [name, keyId, ...rest] = vkey.split('+');
  const typed = fromBase64(rest.join('+'));
  if (typed.length !== 33 || typed[0] !== 1) throw new Error('the verifier key is no Ed25519 key');
  if (toHex(await sha256(utf8.encode(`${name}\n`), typed)).slice(0, 8) !== keyId) throw new Error('wrong key ID');
  const end = note.lastIndexOf('\n\n') + 1;
  const [text, signatures] = [note.slice(0, end), note.slice(end + 1).split('\n')];
  const line = signatures.find((each) => each.startsWith(`— ${name} `));
  if (!line) throw new Error('this key has not signed the checkpoint');
  const signature = fromBase64(line.slice(line.lastIndexOf(' ') + 1));
  if (toHex(signature.slice(0, 4)) !== keyId) throw new Error('another key has signed the checkpoint');
  const key = await subtle.importKey('raw', typed.slice(1), 'Ed25519', false, ['verify']);
  if (!(await subtle.verify('Ed25519', key, signature.slice(4), utf8.encode(text))))
    throw new Error('the signature is wrong');
  const [origin, size, root] = text.split('\n');
  if (origin !== name) throw new Error('the checkpoint has another origin');
  return { size: Number(size), root: root! };
};

/** Verifies that the tree of a signed checkpoint contains an event (RFC 9162, 2.1.3.2). @throws Error */
export const verifyInclusion = async (event: EventJson, proof: string, vkey: string): Promise<void> => {
  const end = proof.indexOf('\n\n');
  const [form, indexLine, ...path] = proof.slice(0, end).split('\n');
  if (form !== 'c2sp.org/tlog-proof@v1' || !/^index \d+$/.test(indexLine!)) throw new Error('not a proof');
  const { size, root } = await openCheckpoint(proof.slice(end + 2), vkey);
  let fn = Number(indexLine!.slice('index '.length));
  if (fn >= size) throw new Error('the checkpoint does not cover the event');
  let sn = size - 1;
  let hash = await sha256(Uint8Array.of(0), utf8.encode(`${event.stream}\n${event.revision}\n${event.hash}\n`));
  for (const sibling of path.map(fromBase64)) {
    if (sn === 0) throw new Error('the proof is too long');
    const isRight = fn % 2 === 1 || fn === sn;
    hash = await (isRight ? sha256(Uint8Array.of(1), sibling, hash) : sha256(Uint8Array.of(1), hash, sibling));
    // Division, not a shift: a tree may have more than 2^31 leaves.
    if (isRight) while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  if (sn !== 0 || toHex(hash) !== toHex(fromBase64(root))) throw new Error('the proof does not lead to the root');
};
