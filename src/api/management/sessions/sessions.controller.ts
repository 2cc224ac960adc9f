import { randomBytes } from 'node:crypto';
import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Optional,
  Param,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { hashToken } from '../../../secrets/tokens.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import { isTokenValid } from '../../transport/headers.js';
import { HttpProblem, notFoundProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getKeyHash, WrongKeyLockout } from '../api-key.guard.js';
import { NoQuery } from '../common-fields.js';
import { CALL_MESSAGES } from '../messages.js';
import { type Call, TheCall } from '../owned-resources.js';
import { readJsonBody, readRequestBody } from '../request-body.js';
import { type ConsoleSession, ConsoleSessions, removedCookie } from './console-sessions.js';

/** Body of POST /sessions. */
export class SessionBody {
  /** True to stay signed in for 30 days; otherwise the session ends with the browser, or after 12 hours without use. */
  @Must.beBoolean()
  readonly remember: boolean | undefined;
}

/** A sign-in of the web console. */
export class SessionView {
  readonly id: string;
  /** True for the session of the request's own cookie. */
  readonly is_current: boolean;
  readonly is_remembered: boolean;
  /** The browser, as it describes itself; null if it does not. */
  readonly user_agent: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC; exact to a minute. */
  readonly used_at: string;
  /** ISO 8601, UTC. */
  readonly expires_at: string;

  constructor(session: ConsoleSession, isCurrent: boolean) {
    this.id = session.session_id;
    this.is_current = isCurrent;
    this.is_remembered = session.is_remembered;
    this.user_agent = session.user_agent;
    this.created_at = session.created_at.toISOString();
    this.used_at = session.used_at.toISOString();
    this.expires_at = session.expires_at.toISOString();
  }
}

/** A new session. `Set-Cookie` has its cookie. */
export class NewSessionView extends SessionView {
  /** The name in the gateway's headers and keys: `service`. */
  declare readonly brand: string;
}

/** All sessions of a key. */
export class SessionsView {
  declare readonly items: readonly SessionView[];
}

/** Any key may sign in. */
const FOR_ALL = { scope: 'read', forLimitedKeys: true, forAuditors: true } as const;

/** Starts, lists and ends the console's sign-ins (ADR-386). A session belongs to the key that started it. */
@Controller('manage/v1/sessions')
@UseGuards(ApiKeyGuard)
export class SessionsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly sessions: ConsoleSessions,
  ) {}

  @Documented({ summary: 'Sign in to the console', ...FOR_ALL, body: SessionBody, status: 201, isQuestion: true })
  @Post()
  async start(@TheCall() { request, reply }: Call): Promise<NewSessionView> {
    const { body } = await readRequestBody(request, fieldsReader(SessionBody));
    const { session, cookie } = await this.sessions.start(getKeyHash(request), body.remember ?? false, request);
    void reply.code(201).header('set-cookie', cookie);
    return { ...new SessionView(session, true), brand: this.settings.brand };
  }

  @Documented({ summary: 'List the sessions of your key', ...FOR_ALL })
  @Get()
  async list(@TheCall() { request }: Call): Promise<SessionsView> {
    readQuery(request, NoQuery);
    const { sessions, currentId } = await this.sessions.list(getKeyHash(request), request);
    return { items: sessions.map((session) => new SessionView(session, session.session_id === currentId)) };
  }

  @Documented({ summary: 'Sign out of the console', ...FOR_ALL })
  @Delete(':id')
  async end(@TheCall() { request, reply }: Call, @Param('id') id: string): Promise<void> {
    if (!(await this.sessions.end(getKeyHash(request), id, request))) throw notFoundProblem('session');
    void reply.code(204);
    if (id === 'current') void reply.header('set-cookie', removedCookie(request));
  }
}

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
