import { BadFault } from '../kit/faults.js';
import type { StandInAnswer } from '../kit/network.js';
import { CHAT_STATES, type ChatState, type Chats } from './chats.js';
import { TELEGRAM_PACE, type RateLimits, type RateLimitSettings } from './rate-limits.js';

/** The parts of the stand-in that these controls reach. */
interface Controlled {
  readonly revokedTokens: Set<string>;
  readonly posting: { readonly chats: Chats; readonly limits: RateLimits };
}

type Body = Readonly<Record<string, unknown>>;

/**
 * Telegram's own controls:
 * - `POST /_control/tokens {token, revoked}`: a revoked token is answered 401
 * - `POST /_control/chats {chat_id, state?, migrated_to?, title?, username?}`: see `CHAT_STATES`; `migrated_to` null
 *   takes a migration back
 * - `POST /_control/rate-limit {on: true}` or with `chat_per_second`, `chat_per_minute`, `bot_per_second`; `{on: false}`
 */
export const answerTelegramControl = (
  controlled: Controlled,
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
  if (typeof token !== 'string' || token === '') throw new BadFault('token must be a string');
  if (isRevoked === true) revoked.add(token);
  else revoked.delete(token);
  return { status: 200, body: { revoked: revoked.has(token) } };
};

const setChat = (chats: Chats, { chat_id, state, migrated_to, title, username }: Body): StandInAnswer => {
  if (typeof chat_id !== 'string' && typeof chat_id !== 'number') throw new BadFault('chat_id must be a string');
  if (state !== undefined && !CHAT_STATES.includes(state as ChatState)) {
    throw new BadFault(`state must be one of ${CHAT_STATES.join(', ')}`);
  }
  const chat = chats.describe(String(chat_id), {
    title: typeof title === 'string' ? title : undefined,
    username: typeof username === 'string' ? username : undefined,
  });
  if (!chat) throw new BadFault('chat_id must be a number or @name');
  if (state !== undefined) chat.state = state as ChatState;
  if (migrated_to !== undefined) chat.migratedTo = migrated_to === null ? null : Number(migrated_to);
  return { status: 200, body: chat };
};

const setRateLimit = (limits: RateLimits, { on, ...given }: Body): StandInAnswer => {
  const off: RateLimitSettings = { chat_per_second: null, chat_per_minute: null, bot_per_second: null };
  const settings: Record<string, number | null> = { ...(on === true ? TELEGRAM_PACE : off) };
  for (const [name, value] of Object.entries(given)) {
    if (!(name in off)) throw new BadFault(`${name} is no rate limit`);
    if (value !== null && !(typeof value === 'number' && value > 0)) throw new BadFault(`${name} must be above 0`);
    settings[name] = value;
  }
  limits.settings = { ...off, ...settings };
  return { status: 200, body: limits.settings };
};
