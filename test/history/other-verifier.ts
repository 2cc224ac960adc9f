/**
 * Checks checkpoints and proofs with an independent implementation: the verifier of Sigstore's logs, which use the same
 * signed notes and the same tree.
 */
import { createHash, createPublicKey } from 'node:crypto';
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js';
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js';

type Entry = Parameters<typeof verifyCheckpoint>[0];
type Authority = Parameters<typeof verifyCheckpoint>[1][number];

/** Wraps a proof, a checkpoint and a key in the form that Sigstore's verifier takes. */
const entryOf = (index: bigint, hashes: readonly Buffer[], checkpoint: string, body: Buffer): Entry =>
  ({
    canonicalizedBody: body,
    inclusionProof: {
      logIndex: String(index),
      treeSize: '0',
      rootHash: Buffer.alloc(0),
      hashes: [...hashes],
      checkpoint: { envelope: checkpoint },
    },
  }) as unknown as Entry;

const authorityOf = (vkey: string): Authority => {
  const [name, , ...key] = vkey.split('+') as [string, string, ...string[]];
  const typed = Buffer.from(key.join('+'), 'base64');
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), typed.subarray(1)]);
  const logID = createHash('sha256').update(`${name}\n`).update(typed).digest();
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return { logID, publicKey, baseURL: name, validFor: { start: new Date(0), end: new Date(8e15) } };
};

/** Verifies a tlog-proof of an entry with Sigstore's implementation. @throws VerificationError */
export const verifyProofElsewhere = (proof: string, entry: Buffer, vkey: string): void => {
  const end = proof.indexOf('\n\n');
  const [, index, ...hashes] = proof.slice(0, end).split('\n');
  const carried = entryOf(
    BigInt(index!.slice('index '.length)),
    hashes.map((hash) => Buffer.from(hash, 'base64')),
    proof.slice(end + 2),
    entry,
  );
  verifyMerkleInclusion(carried, verifyCheckpoint(carried, [authorityOf(vkey)]));
};
