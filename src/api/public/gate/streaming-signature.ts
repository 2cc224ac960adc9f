import { createHmac, type Hmac } from 'node:crypto';

/** Secrets by their ids. */
export type Secrets = ReadonlyMap<string, string>;

/**
 * Signs a body that is too long to be kept while it passes: who sent it is asked before it is refused (D-5, D-7). Until the
 * secrets are there, which takes a query at most, what has come waits.
 */
export class PassingBody {
  private readonly waiting: Buffer[] = [];
  private hmacs: ReadonlyMap<string, Hmac> | null = null;
  private readonly signing: Promise<void>;
  private signed: Promise<ReadonlyMap<string, Buffer>> | undefined;

  /** @param secrets always as many of them, whoever sent the body, so that what it takes to sign it tells nothing (D-7) */
  constructor(secrets: Promise<Secrets>) {
    this.signing = secrets.then((opened) => {
      this.hmacs = new Map([...opened].map(([id, secret]) => [id, createHmac('sha256', secret)]));
      for (const chunk of this.waiting.splice(0)) this.take(chunk);
    });
    this.signing.catch(() => undefined); // whoever asks for the signatures is told
  }

  /** The next of the body. */
  take(chunk: Buffer): void {
    if (!this.hmacs) return void this.waiting.push(chunk);
    for (const hmac of this.hmacs.values()) hmac.update(chunk);
  }

  /** HMAC-SHA256 of all that was taken, by the secret's id; to be asked for when the body is over. @throws Unavailable */
  signatures(): Promise<ReadonlyMap<string, Buffer>> {
    this.signed ??= this.signing.then(() => new Map([...this.hmacs!].map(([id, hmac]) => [id, hmac.digest()])));
    return this.signed;
  }
}
