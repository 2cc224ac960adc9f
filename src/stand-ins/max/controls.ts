import { InvalidControlRequest } from '../kit/invalid-control-request.js';
import type { StandInAnswer } from '../kit/network.js';
import { CHAT_STATES, type ChatState } from './chats.js';
import type { PostingContext } from './posting.js';
import { MAX_RATE_LIMITS, type RateLimitSettings } from './rate-limits.js';

/** The parts of the stand-in that these controls change. */
interface ControlledParts {
  readonly revokedTokens: Set<string>;
  readonly posting: PostingContext;
}

type Body = Readonly<Record<string, unknown>>;

/**
 * MAX's own controls:
 * - `POST /_control/tokens {token, revoked}`: a revoked token is answered 401
 * - `POST /_control/chats {chat_id, state?, title?}`: see `CHAT_STATES`
 * - `POST /_control/not-ready {times}`: number of messages with media that get `attachment.not.ready`
 * - `POST /_control/uploads {image?: "photos" | "token", retval?}`: form of the answers to uploads; a retval
 *   other than 1 rejects videos and audio
 * - `POST /_control/rate-limit {on: true}` or with `chat_per_second`, `bot_per_second`; `{on: false}`
 */
export const answerMaxControl = (
  { revokedTokens, posting }: ControlledParts,
  httpMethod: string,
  path: string,
  body: Body,
): StandInAnswer | null => {
  switch (`${httpMethod} ${path}`) {
    case 'POST tokens':
      return setToken(revokedTokens, body);
    case 'POST chats':
      return setChat(posting, body);
    case 'POST not-ready':
      posting.notReady = readWholeNumber(body['times'], 'times');
      return { status: 200, body: { times: posting.notReady } };
    case 'POST uploads':
      return setUploads(posting, body);
    case 'POST rate-limit':
      return setRateLimit(posting, body);
    default:
      return null;
  }
};

const readWholeNumber = (value: unknown, name: string): number => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new InvalidControlRequest(`${name} must be a whole number from 0`);
};

const setToken = (revoked: Set<string>, { token, revoked: isRevoked = true }: Body): StandInAnswer => {
  if (typeof token !== 'string' || token === '') throw new InvalidControlRequest('token must be a string');
  if (isRevoked === true) revoked.add(token);
  else revoked.delete(token);
  return { status: 200, body: { revoked: revoked.has(token) } };
};

const setChat = ({ chats }: PostingContext, { chat_id, state, title }: Body): StandInAnswer => {
  const chat = typeof chat_id === 'string' || typeof chat_id === 'number' ? chats.getOrCreate(String(chat_id)) : null;
  if (!chat) throw new InvalidControlRequest('chat_id must be a number');
  if (state !== undefined && !CHAT_STATES.includes(state as ChatState)) {
    throw new InvalidControlRequest(`state must be one of ${CHAT_STATES.join(', ')}`);
  }
  if (state !== undefined) chat.state = state as ChatState;
  if (typeof title === 'string') chat.title = title;
  return { status: 200, body: { id: chat.id, state: chat.state, title: chat.title } };
};

const setUploads = ({ uploads }: PostingContext, { image, retval }: Body): StandInAnswer => {
  if (image !== undefined && image !== 'photos' && image !== 'token')
    throw new InvalidControlRequest('image must be photos or token');
  if (retval !== undefined && typeof retval !== 'number') throw new InvalidControlRequest('retval must be a number');
  if (image !== undefined) uploads.imageAnswer = image;
  if (retval !== undefined) uploads.retval = retval;
  return { status: 200, body: { image: uploads.imageAnswer, retval: uploads.retval } };
};

const setRateLimit = ({ limits }: PostingContext, { on, ...limitsByName }: Body): StandInAnswer => {
  const off: RateLimitSettings = { chat_per_second: null, bot_per_second: null };
  const settings: Record<string, number | null> = { ...(on === true ? MAX_RATE_LIMITS : off) };
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
