import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { newUuid } from '../../../kernel/ids.js';
import { POOL } from '../../../postgres/tokens.js';
import { hashToken } from '../../../secrets/tokens.js';
import { readBearerToken, readHeaderText } from '../../transport/headers.js';

/** Name of the cookie that holds a session's token. */
const COOKIE = 'console_session';
/** Header that the console sends with every request. Other origins cannot send it, because CORS does not allow it. */
const HEADER = 'x-console';
/** How long a session lasts on a device that is remembered, in days. */
const REMEMBERED_DAYS = 30;
/** How long any other session lasts after its last use, in hours. */
const IDLE_HOURS = 12;
const TOKEN_BYTES = 32;
const USER_AGENT_LENGTH = 200;

/** A sign-in of the console. */
export interface ConsoleSession {
  readonly session_id: string;
  readonly is_remembered: boolean;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly used_at: Date;
  readonly expires_at: Date;
}

const COLUMNS = 'session_id, is_remembered, user_agent, created_at, used_at, expires_at';
/** Returns SQL for a session's expiry. @param isRemembered SQL */
const expiry = (isRemembered: string): string =>
  `now() + case when ${isRemembered} then interval '${REMEMBERED_DAYS} days' else interval '${IDLE_HOURS} hours' end`;

/**
 * Keeps the console's sign-ins (ADR-386). A session stands for a key, by its hash, so it ends when the key is replaced,
 * revoked or expired. The browser holds a random token in a cookie that no script can read, never the key.
 */
@Injectable()
export class ConsoleSessions {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Starts a session for a key. Returns it with the value of `Set-Cookie`. */
  async start(
    keyHash: string,
    isRemembered: boolean,
    request: FastifyRequest,
  ): Promise<{ readonly session: ConsoleSession; readonly cookie: string }> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const userAgent = readHeaderText(request, 'user-agent')?.slice(0, USER_AGENT_LENGTH) ?? null;
    const { rows } = await this.pool.query<ConsoleSession>(
      `insert into ops_console_session (session_id, token_hash, key_hash, is_remembered, user_agent, expires_at)
       values ($1, $2, $3, $4, $5, ${expiry('$4::boolean')}) returning ${COLUMNS}`,
      [newUuid(), hashToken(token), keyHash, isRemembered, userAgent],
    );
    const age = isRemembered ? `; Max-Age=${REMEMBERED_DAYS * 86_400}` : '';
    return { session: rows[0]!, cookie: cookieOf(token, request) + age };
  }

  /**
   * Returns the hash of the key that signed in; null without a valid session, and for requests that another site may have
   * caused.
   */
  async findKeyHash(request: FastifyRequest): Promise<string | null> {
    const token = readToken(request);
    if (token === null || !isFromConsole(request)) return null;
    const { rows } = await this.pool.query<{ key_hash: string; is_old: boolean }>({
      name: 'find console session',
      text: `select key_hash, used_at < now() - interval '1 minute' as is_old from ops_console_session
             where token_hash = $1 and expires_at > now()`,
      values: [hashToken(token)],
    });
    const [found] = rows;
    if (!found) return null;
    if (found.is_old)
      await this.pool.query(
        `update ops_console_session set used_at = now(),
           expires_at = case when is_remembered then expires_at else ${expiry('false')} end
         where token_hash = $1`,
        [hashToken(token)],
      );
    return found.key_hash;
  }

  /** Returns those that have not ended. @param sessions see {@link sessionOf} */
  async findOpen(sessions: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ token_hash: string }>({
      name: 'find open console sessions',
      text: 'select token_hash from ops_console_session where token_hash = any($1) and expires_at > now()',
      values: [sessions],
    });
    return new Set(rows.map(({ token_hash: hash }) => hash));
  }

  /** Returns a key's sessions, newest first, and the id of the request's own session. */
  async list(
    keyHash: string,
    request: FastifyRequest,
  ): Promise<{ readonly sessions: readonly ConsoleSession[]; readonly currentId: string | null }> {
    const { rows } = await this.pool.query<ConsoleSession & { token_hash: string }>(
      `select ${COLUMNS}, token_hash from ops_console_session where key_hash = $1 and expires_at > now()
       order by created_at desc limit 200`,
      [keyHash],
    );
    const token = readToken(request);
    const current = token === null ? undefined : rows.find(({ token_hash: hash }) => hash === hashToken(token));
    return { sessions: rows, currentId: current?.session_id ?? null };
  }

  /** Ends a session of a key. @param id `current` for the request's own @returns false if it does not exist */
  async end(keyHash: string, id: string, request: FastifyRequest): Promise<boolean> {
    const token = readToken(request);
    const isCurrent = id === 'current';
    const { rowCount } = await this.pool.query(
      `delete from ops_console_session where key_hash = $1 and ${isCurrent ? 'token_hash' : 'session_id'} = $2`,
      [keyHash, isCurrent ? (token === null ? '' : hashToken(token)) : id],
    );
    return rowCount === 1;
  }
}

/** Returns the SHA-256 of the token of the request's session; null if the request was sent with a key. */
export const sessionOf = (request: FastifyRequest): string | null => {
  const token = readBearerToken(request.headers.authorization) === '' ? readToken(request) : null;
  return token === null ? null : hashToken(token);
};

/** Returns the value of `Set-Cookie` that removes the cookie. */
export const removedCookie = (request: FastifyRequest): string => `${cookieOf('', request)}; Max-Age=0`;

/** Returns the cookie, `Secure` if the console was opened over https, as `Origin` says. */
const cookieOf = (token: string, request: FastifyRequest): string => {
  const isSecure = request.headers.origin?.startsWith('https:') === true;
  return `${COOKIE}=${token}; Path=/manage; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
};

const readToken = ({ headers: { cookie } }: FastifyRequest): string | null =>
  new RegExp(`(?:^|;)\\s*${COOKIE}=([\\w-]{1,100})\\s*(?:;|$)`).exec(cookie ?? '')?.[1] ?? null;

/**
 * Returns whether a request comes from the console's own page. Forms and links cannot send the header; scripts of other
 * origins, including other ports of the same host, need a preflight, which fails. `Sec-Fetch-Site` must not contradict.
 */
const isFromConsole = ({ headers }: FastifyRequest): boolean => {
  if (headers[HEADER] !== '1') return false;
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
};
