import { createHmac, type Hmac } from 'node:crypto';

/** Signing secrets, by id. */
export type SigningSecrets = ReadonlyMap<string, string>;

/** Placeholder for a missing secret. */
const NO_SECRET = '0'.repeat(43);

/** Number of secrets used to sign every body. An endpoint has two while its secret is being rotated (D-40). */
const SECRETS = 2;

/**
 * Computes a body's signatures as it arrives. This way, the signature of a body that is too large to keep can be
 * checked before the body is rejected (D-5, D-7), and dropping a body takes as long as keeping it (ADR-88).
 */
export class StreamingSignature {
  private readonly hmacs: readonly (readonly [id: string, hmac: Hmac])[];
  private result: ReadonlyMap<string, Buffer> | null = null;

  /**
   * @param secrets at most two; missing secrets are replaced by placeholders, so that the signing time reveals nothing
   * (D-7)
   */
  constructor(secrets: SigningSecrets) {
    const supplements = Array.from({ length: SECRETS }, (_, n) => [`none ${n}`, NO_SECRET] as const);
    const all = [...secrets, ...supplements].slice(0, SECRETS);
    this.hmacs = all.map(([id, secret]) => [id, createHmac('sha256', secret)]);
  }

  update(chunk: Buffer): void {
    if (!this.result) for (const [, hmac] of this.hmacs) hmac.update(chunk);
  }

  /** Returns the HMAC-SHA256 of all chunks, by the secret's id. Call it after the last chunk. */
  digests(): ReadonlyMap<string, Buffer> {
    return (this.result ??= new Map(this.hmacs.map(([id, hmac]) => [id, hmac.digest()])));
  }
}
