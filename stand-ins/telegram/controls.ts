import { InvalidControlRequest, readChoice, revokeToken, setRateLimits } from '../kit/control.js';
import type { ControlFields, StandInAnswer } from '../kit/network.js';
import { CHAT_STATES, type Chats } from './chats.js';
import { type RateLimits, TELEGRAM_RATE_LIMITS } from './rate-limits.js';

interface ControlledParts {
  readonly revokedTokens: Set<string>;
  readonly posting: { readonly chats: Chats; readonly limits: RateLimits };
}

/**
 * Telegram's own controls:
 * - `POST /_control/tokens {token, revoked}`: calls with a revoked token get 401
 * - `POST /_control/chats {chat_id, state?, migrated_to?, title?, username?}`: see `CHAT_STATES`; `migrated_to` null
 *   undoes a migration
 * - `POST /_control/rate-limit {on: true}` or with `chat_per_second`, `chat_per_minute`, `bot_per_second`; `{on: false}`
 */
export const answerTelegramControl = (
  { revokedTokens, posting }: ControlledParts,
  control: string,
  body: ControlFields,
): StandInAnswer | null => {
  switch (control) {
    case 'POST tokens':
      return revokeToken(revokedTokens, body);
    case 'POST chats':
      return setChat(posting.chats, body);
    case 'POST rate-limit':
      return setRateLimits(posting.limits, TELEGRAM_RATE_LIMITS, body);
    default:
      return null;
  }
};

const setChat = (chats: Chats, body: ControlFields): StandInAnswer => {
  const { chat_id, migrated_to, title, username } = body;
  if (typeof chat_id !== 'string' && typeof chat_id !== 'number')
    throw new InvalidControlRequest('chat_id must be a string');
  const state = body['state'] === undefined ? undefined : readChoice(body, 'state', CHAT_STATES);
  const chat = chats.updateChat(String(chat_id), {
    title: typeof title === 'string' ? title : undefined,
    username: typeof username === 'string' ? username : undefined,
  });
  if (!chat) throw new InvalidControlRequest('chat_id must be a number or @name');
  if (state !== undefined) chat.state = state;
  if (migrated_to !== undefined) chat.migratedTo = migrated_to === null ? null : Number(migrated_to);
  return { status: 200, body: chat };
};
