import { InvalidControlRequest, readChoice, revokeToken, setRateLimits } from '../kit/control.js';
import type { ControlFields, StandInAnswer } from '../kit/network.js';
import { CHAT_STATES } from './chats.js';
import type { PostingContext } from './posting.js';
import { MAX_RATE_LIMITS } from './rate-limits.js';

interface ControlledParts {
  readonly revokedTokens: Set<string>;
  readonly posting: PostingContext;
}

/**
 * MAX's own controls:
 * - `POST /_control/tokens {token, revoked}`: calls with a revoked token get 401
 * - `POST /_control/chats {chat_id, state?, title?}`: see `CHAT_STATES`
 * - `POST /_control/not-ready {times}`: how many of the next messages with media get `attachment.not.ready`
 * - `POST /_control/uploads {image?: "photos" | "token", retval?}`: format of the responses to uploads; a retval
 *   other than 1 rejects all uploads except images
 * - `POST /_control/rate-limit {on: true}` or with `chat_per_second`, `bot_per_second`; `{on: false}`
 */
export const answerMaxControl = (
  { revokedTokens, posting }: ControlledParts,
  control: string,
  body: ControlFields,
): StandInAnswer | null => {
  switch (control) {
    case 'POST tokens':
      return revokeToken(revokedTokens, body);
    case 'POST chats':
      return setChat(posting, body);
    case 'POST not-ready':
      posting.notReady = readWholeNumber(body['times'], 'times');
      return { status: 200, body: { times: posting.notReady } };
    case 'POST uploads':
      return setUploads(posting, body);
    case 'POST rate-limit':
      return setRateLimits(posting.limits, MAX_RATE_LIMITS, body);
    default:
      return null;
  }
};

const readWholeNumber = (value: unknown, name: string): number => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new InvalidControlRequest(`${name} must be a whole number from 0`);
};

const setChat = ({ chats }: PostingContext, body: ControlFields): StandInAnswer => {
  const { chat_id, state, title } = body;
  const chat = typeof chat_id === 'string' || typeof chat_id === 'number' ? chats.getOrCreate(String(chat_id)) : null;
  if (!chat) throw new InvalidControlRequest('chat_id must be a number');
  if (state !== undefined) chat.state = readChoice(body, 'state', CHAT_STATES);
  if (typeof title === 'string') chat.title = title;
  return { status: 200, body: { id: chat.id, state: chat.state, title: chat.title } };
};

const setUploads = ({ uploads }: PostingContext, { image, retval }: ControlFields): StandInAnswer => {
  if (image !== undefined && image !== 'photos' && image !== 'token')
    throw new InvalidControlRequest('image must be photos or token');
  if (retval !== undefined && typeof retval !== 'number') throw new InvalidControlRequest('retval must be a number');
  if (image !== undefined) uploads.imageAnswer = image;
  if (retval !== undefined) uploads.retval = retval;
  return { status: 200, body: { image: uploads.imageAnswer, retval: uploads.retval } };
};
