import { randomBytes } from 'node:crypto';
import { hashToken } from '../../../secrets/tokens.js';
import { isTokenValid } from '../../transport/credentials.js';
import type { SignInView } from './sign-in.view.js';

/** How long a code is valid, in ms. */
const VALID_MS = 600_000;
/** Length of a code, in random bytes. */
const CODE_BYTES = 24;

/**
 * The one-time code in the console URL that a demo prints when it starts. It signs in the demo's owner and is valid for
 * ten minutes. It becomes invalid when the process exits, because its hash is kept only in memory.
 */
export class OneTimeCode {
  private issued: { readonly hash: string; readonly until: number; readonly session: SignInView } | null = null;

  /** @param now returns the time of a monotonic clock, in ms */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Returns a new code, which replaces the previous one. */
  issue(session: SignInView): string {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    this.issued = { hash: hashToken(code), until: this.now() + VALID_MS, session };
    return code;
  }

  /** Redeems a code, which can be used only once, and returns its session; null if it is invalid, used or expired. */
  redeem(code: string): SignInView | null {
    const { issued } = this;
    if (issued === null || !isTokenValid(code, issued.hash) || this.now() >= issued.until) return null;
    this.issued = null;
    return issued.session;
  }
}
