import { InvalidControlRequest } from '../kit/invalid-control-request.js';
import type { StandInAnswer } from '../kit/network.js';
import { CHAT_STATES, type ChatState, type Chats } from './chats.js';
import { TELEGRAM_RATE_LIMITS, type RateLimits, type RateLimitSettings } from './rate-limits.js';

/** The parts of the stand-in that these controls change. */
interface ControlledParts {
  readonly revokedTokens: Set<string>;
  readonly posting: { readonly chats: Chats; readonly limits: RateLimits };
}

type Body = Readonly<Record<string, unknown>>;

/**
 * Telegram's own controls:
 * - `POST /_control/tokens {token, revoked}`: a revoked token is answered 401
 * - `POST /_control/chats {chat_id, state?, migrated_to?, title?, username?}`: see `CHAT_STATES`; `migrated_to` null
 *   undoes a migration
 * - `POST /_control/rate-limit {on: true}` or with `chat_per_second`, `chat_per_minute`, `bot_per_second`; `{on: false}`
 */
export const answerTelegramControl = (
  controlled: ControlledParts,
  httpMethod: string,
  path: string,
  body: Body,
): StandInAnswer | null => {
  switch (`${httpMethod} ${path}`) {
    case 'POST tokens':
      return setToken(controlled.revokedTokens, body);
    case 'POST chats':
      return setChat(controlled.posting.chats, body);
    case 'POST rate-limit':
      return setRateLimit(controlled.posting.limits, body);
    default:
      return null;
  }
};

const setToken = (revoked: Set<string>, { token, revoked: isRevoked = true }: Body): StandInAnswer => {
  if (typeof token !== 'string' || token === '') throw new InvalidControlRequest('token must be a string');
  if (isRevoked === true) revoked.add(token);
  else revoked.delete(token);
  return { status: 200, body: { revoked: revoked.has(token) } };
};

const setChat = (chats: Chats, { chat_id, state, migrated_to, title, username }: Body): StandInAnswer => {
  if (typeof chat_id !== 'string' && typeof chat_id !== 'number')
    throw new InvalidControlRequest('chat_id must be a string');
  if (state !== undefined && !CHAT_STATES.includes(state as ChatState)) {
    throw new InvalidControlRequest(`state must be one of ${CHAT_STATES.join(', ')}`);
  }
  const chat = chats.updateChat(String(chat_id), {
    title: typeof title === 'string' ? title : undefined,
    username: typeof username === 'string' ? username : undefined,
  });
  if (!chat) throw new InvalidControlRequest('chat_id must be a number or @name');
  if (state !== undefined) chat.state = state as ChatState;
  if (migrated_to !== undefined) chat.migratedTo = migrated_to === null ? null : Number(migrated_to);
  return { status: 200, body: chat };
};

const setRateLimit = (limits: RateLimits, { on, ...limitsByName }: Body): StandInAnswer => {
  const off: RateLimitSettings = { chat_per_second: null, chat_per_minute: null, bot_per_second: null };
  const settings: Record<string, number | null> = { ...(on === true ? TELEGRAM_RATE_LIMITS : off) };
  for (const [name, value] of Object.entries(limitsByName)) {
    if (!(name in off))
      throw new InvalidControlRequest(`unknown rate limit ${name}; the limits are ${Object.keys(off).join(', ')}`);
    if (value !== null && !(typeof value === 'number' && value > 0))
      throw new InvalidControlRequest(`${name} must be above 0`);
    settings[name] = value;
  }
  limits.settings = { ...off, ...settings };
  return { status: 200, body: limits.settings };
};
