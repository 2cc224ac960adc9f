import { createHmac, type Hmac } from 'node:crypto';

/** Signing secrets, by their ids. */
export type SigningSecrets = ReadonlyMap<string, string>;

/**
 * Computes the signatures of a body that is too large to be kept, chunk by chunk: its sender is authenticated before the body
 * is rejected (D-5, D-7). Chunks are buffered until the secrets are loaded, which takes at most one query.
 */
export class StreamingSignature {
  private readonly buffered: Buffer[] = [];
  private hmacs: ReadonlyMap<string, Hmac> | null = null;
  private readonly ready: Promise<void>;
  private result: Promise<ReadonlyMap<string, Buffer>> | undefined;

  /** @param secrets the same number for every sender, so that the time it takes to sign reveals nothing (D-7) */
  constructor(secrets: Promise<SigningSecrets>) {
    this.ready = secrets.then((opened) => {
      this.hmacs = new Map([...opened].map(([id, secret]) => [id, createHmac('sha256', secret)]));
      for (const chunk of this.buffered.splice(0)) this.update(chunk);
    });
    this.ready.catch(() => undefined); // `digests` reports it
  }

  /** Adds the next chunk of the body. */
  update(chunk: Buffer): void {
    if (!this.hmacs) return void this.buffered.push(chunk);
    for (const hmac of this.hmacs.values()) hmac.update(chunk);
  }

  /** Returns the HMAC-SHA256 of all chunks, by the secret's id. Call it when the body has ended. @throws Unavailable */
  digests(): Promise<ReadonlyMap<string, Buffer>> {
    this.result ??= this.ready.then(() => new Map([...this.hmacs!].map(([id, hmac]) => [id, hmac.digest()])));
    return this.result;
  }
}
