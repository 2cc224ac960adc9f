import { Controller, Delete, Get, Inject, Param, Post, UseGuards } from '@nestjs/common';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import { ApiKeyGuard, getKeyHash } from '../api-key.guard.js';
import { NoQuery } from '../common-fields.js';
import { notFoundProblem } from '../http-problems.js';
import { type Call, TheCall } from '../owned-resources.js';
import { readRequestBody } from '../request-body.js';
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
