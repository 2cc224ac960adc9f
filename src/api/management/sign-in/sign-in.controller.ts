import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Must } from '../../../validation/rules.js';
import { fieldsReader } from '../../transport/fields.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { CALL_MESSAGES } from '../messages.js';
import { readJsonBody } from '../request-body.js';
import { WrongKeyLockout } from '../wrong-key-lockout.js';
import { OneTimeCode } from './one-time-code.js';
import type { SignInView } from './sign-in.view.js';

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
