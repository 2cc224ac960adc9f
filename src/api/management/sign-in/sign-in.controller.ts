import { randomBytes } from 'node:crypto';
import { Controller, HttpCode, Injectable, Optional, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { hashToken } from '../../../secrets/tokens.js';
import { Must } from '../../../validation/rules.js';
import { isTokenValid } from '../../transport/credentials.js';
import { fieldsReader } from '../../transport/fields.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { WrongKeyLockout } from '../api-key.guard.js';
import { CALL_MESSAGES } from '../messages.js';
import { readJsonBody } from '../request-body.js';

/** How long a code is valid, in ms. */
const VALID_MS = 600_000;
/** Length of a code, in random bytes. */
const CODE_BYTES = 24;

/**
 * The one-time code in the console URL that a demo prints when it starts. It signs in the demo's owner and is valid for
 * ten minutes. It becomes invalid when the process exits, because its hash is kept only in memory.
 */
@Injectable()
export class OneTimeCode {
  private issued: { readonly hash: string; readonly until: number; readonly session: SignInView } | null = null;

  /** @param now returns the time of a monotonic clock, in ms */
  constructor(@Optional() private readonly now: () => number = () => performance.now()) {}

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

/** Body of POST /sign-in. */
class SignInBody {
  @Must.beLine(200)
  @Must.bePresent("the code from the console's URL")
  readonly code!: string;
}

/** Signs the demo's owner in with the one-time code printed at startup. Exists in demo mode only (ADR-207). */
@Controller('manage/v1/sign-in')
export class SignInController {
  constructor(
    private readonly lockout: WrongKeyLockout,
    private readonly code: OneTimeCode,
  ) {}

  @Post()
  @HttpCode(200)
  async signIn(@Req() request: FastifyRequest): Promise<SignInView> {
    const { body } = await readJsonBody(request, 'sign-in', fieldsReader(SignInBody));
    const session = this.code.redeem(body.code);
    if (session) return session;
    this.lockout.countWrongKey(request);
    throw HttpProblem.withMessage(401, 'unauthorized', CALL_MESSAGES.codeNotValid);
  }
}

/** The response to a sign-in: everything the console needs to act on behalf of an owner. */
export interface SignInView {
  /** The owner's API key. */
  readonly key: string;
  readonly owner: { readonly id: string; readonly name: string };
}
