import { InvalidControlRequest, readChoice, readWholeNumber, revokeToken, setRateLimits } from '../kit/control.js';
import type {
  ControlFields,
  Controls,
  DemoChannel,
  StandInAnswer,
  StandInCall,
  StandInDescriptor,
  StandInNetwork,
} from '../kit/network.js';
import { type RunningStandIn, serveNetwork, type StandInOptions } from '../kit/server.js';
import { ApiError, badPayload } from './api-error.js';
import { deleteMessage, editMessage, pinMessage } from './changing.js';
import { BOT, type Chat, CHAT_STATES, Chats, MAX_RATE_LIMITS, RateLimits, readMid } from './chats.js';
import { getMessage, listMessages, type PostingContext, postMessage } from './posting.js';
import { THEME } from './readers-view.js';
import { Uploads } from './uploads.js';

/**
 * MAX's own controls:
 * - `POST /_control/tokens {token, revoked}`: calls with a revoked token get 401
 * - `POST /_control/chats {chat_id, state?, title?, may_delete?, may_edit?, may_pin?}`: see `CHAT_STATES`; `may_delete`
 *   false makes the chat's messages stay
 * - `POST /_control/not-ready {times}`: how many of the next messages with media get `attachment.not.ready`
 * - `POST /_control/uploads {image?: "photos" | "token", retval?}`: format of the responses to uploads; a retval
 *   other than 1 rejects all uploads except images
 * - `POST /_control/rate-limit {on: true}` or with `chat_per_second`, `bot_per_second`; `{on: false}`
 */
const controlsOf = (revokedTokens: Set<string>, posting: PostingContext): Controls => ({
  'POST tokens': (body) => revokeToken(revokedTokens, body),
  'POST chats': (body) => setChat(posting, body),
  'POST not-ready': (body) => ({ times: (posting.notReady = readWholeNumber(body, 'times', 0)) }),
  'POST uploads': (body) => setUploads(posting, body),
  'POST rate-limit': (body) => setRateLimits(posting.limits, MAX_RATE_LIMITS, body),
});

const setChat = ({ chats }: PostingContext, body: ControlFields): object => {
  const { chat_id, state, title, may_delete, may_edit, may_pin } = body;
  const chat = typeof chat_id === 'string' || typeof chat_id === 'number' ? chats.getOrCreate(String(chat_id)) : null;
  if (!chat) throw new InvalidControlRequest('chat_id must be a number');
  if (state !== undefined) chat.state = readChoice(body, 'state', CHAT_STATES);
  if (typeof title === 'string') chat.title = title;
  if (typeof may_delete === 'boolean') chat.mayDelete = may_delete;
  if (typeof may_edit === 'boolean') chat.mayEdit = may_edit;
  if (typeof may_pin === 'boolean') chat.mayPin = may_pin;
  return { id: chat.id, state: chat.state, title: chat.title };
};

const setUploads = ({ uploads }: PostingContext, { image, retval }: ControlFields): object => {
  if (image !== undefined && image !== 'photos' && image !== 'token')
    throw new InvalidControlRequest('image must be photos or token');
  if (retval !== undefined && typeof retval !== 'number') throw new InvalidControlRequest('retval must be a number');
  if (image !== undefined) uploads.imageAnswer = image;
  if (retval !== undefined) uploads.retval = retval;
  return { image: uploads.imageAnswer, retval: uploads.retval };
};

/** Path of a chat, of the bot's membership in it, or of its pinned message. */
const CHAT = /^\/chats\/([^/]+)(\/members\/me|\/pin)?$/;

/** Path of a message. */
const MESSAGE = /^\/messages\/([^/]+)$/;

/** Path for uploads: `/upload/<id>`, which requires no token. */
const UPLOAD = /^\/upload\/([0-9a-f]{24})$/;

const MB = 1_048_576;

/** MAX's Bot API, including its errors. */
class MaxNetwork implements StandInNetwork {
  readonly platform = 'max';
  /** Room for the largest upload, its framing and a margin: an oversized file must get the network's own error. */
  readonly maxBodyBytes = 264 * MB;
  readonly controls: Controls;
  private readonly revokedTokens = new Set<string>();

  constructor(private readonly posting: PostingContext) {
    this.controls = controlsOf(this.revokedTokens, posting);
  }

  identify({ httpMethod, path, query }: StandInCall): { method: string; channel: string | null } {
    const [, chatId, member = ''] = CHAT.exec(path) ?? [];
    if (chatId !== undefined) return { method: `${httpMethod} /chats/{chatId}${member}`, channel: decode(chatId) };
    const mid = MESSAGE.exec(path)?.[1] ?? query.get('message_id') ?? query.get('message_ids')?.split(',')[0] ?? null;
    if (mid !== null) {
      const place = path === '/messages' ? path : '/messages/{messageId}';
      return { method: `${httpMethod} ${place}`, channel: readMid(decode(mid))?.chatId ?? null };
    }
    return { method: UPLOAD.test(path) ? 'upload' : `${httpMethod} ${path}`, channel: query.get('chat_id') };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    return { status: 200, ...(await this.route(call)) };
  }

  createErrorAnswer(status: number, message: string): StandInAnswer {
    if (status === 400) return badPayload(message).answer;
    const code = CODES[status] ?? 'error';
    return new ApiError(status, code, message || code).answer;
  }

  private async route(call: StandInCall): Promise<{ body: object | string; headers?: Record<string, string> }> {
    const { httpMethod, path, query, files, headers } = call;
    const { posting } = this;
    const uploadId = UPLOAD.exec(path)?.[1];
    if (uploadId !== undefined) {
      const body = await posting.uploads.receiveFile(uploadId, files.get('data'));
      return typeof body === 'string' ? { body, headers: { 'content-type': 'text/xml' } } : { body };
    }
    const token = this.authenticate(call);
    posting.limits.countCall('bot_per_second', token, Date.now());
    switch (`${httpMethod} ${path}`) {
      case 'GET /me':
        return { body: BOT };
      case 'POST /messages':
        return { body: await postMessage(posting, call) };
      case 'GET /messages':
        return { body: await listMessages(posting, call) };
      case 'PUT /messages':
        return { body: await editMessage(posting, call) };
      case 'DELETE /messages':
        return { body: await deleteMessage(posting, call) };
      case 'POST /uploads': {
        const { id, ...early } = posting.uploads.createUpload(query.get('type'));
        return { body: { url: `http://${headers.host}/upload/${id}`, ...early } };
      }
      default: {
        const mid = MESSAGE.exec(path)?.[1];
        if (httpMethod === 'GET' && mid !== undefined) return { body: await getMessage(posting, decode(mid)) };
        const [, chatId, member] = CHAT.exec(path) ?? [];
        if (httpMethod === 'PUT' && chatId !== undefined && member === '/pin')
          return { body: await pinMessage(posting, decode(chatId), call) };
        if (httpMethod === 'GET' && chatId !== undefined && member !== '/pin')
          return { body: describeChat(findChat(posting, decode(chatId)), member !== undefined) };
        throw new ApiError(404, 'not.found', `${httpMethod} ${path} is not known`);
      }
    }
  }

  /** Returns the token from the Authorization header; `Bearer` and a token in the URL are rejected (networks.md §1). */
  private authenticate({ headers, query }: StandInCall): string {
    const token = headers.authorization ?? '';
    if (query.has('access_token') || !/^[\x21-\x7e]+$/.test(token) || this.revokedTokens.has(token)) {
      throw new ApiError(401, 'verify.token', 'Invalid access_token');
    }
    return token;
  }
}

/** Returns a chat by its number or its public name, `@acme` or `acme`. */
const findChat = ({ chats }: PostingContext, idOrName: string): Chat =>
  /^@?[a-zA-Z][\w-]*$/.test(idOrName) ? chats.getByName(idOrName) : chats.getForMember(idOrName);

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const describeChat = ({ id, title, state, mayDelete, mayEdit }: Chat, isMembership: boolean): object => {
  const isAdmin = state === 'admin';
  if (isMembership)
    return {
      ...BOT,
      last_access_time: BOT.last_activity_time,
      join_time: BOT.last_activity_time,
      is_owner: false,
      is_admin: isAdmin,
      permissions: isAdmin
        ? [
            ...['read_all_messages', 'write', 'pin_message'],
            ...(mayEdit ? ['edit_message'] : []),
            ...(mayDelete ? ['delete_message'] : []),
          ]
        : null,
    };
  return {
    chat_id: Number(id),
    type: 'channel',
    status: 'active',
    title,
    last_event_time: BOT.last_activity_time,
    participants_count: 1,
    icon: null,
    is_public: false,
    description: null,
  };
};

const CODES: Readonly<Record<number, string>> = {
  401: 'verify.token',
  403: 'chat.denied',
  404: 'chat.not.found',
  413: 'too.large',
  429: 'too.many.requests',
  500: 'internal',
  503: 'service.unavailable',
};

/** The demo's channel on MAX. */
const DEMO_CHANNEL = {
  name: 'Harbour News',
  credentials: { access_token: 'DemoDemoDemoDemoDemoDemoDemoDemo', chat_id: '-70912345678901' },
} as const satisfies DemoChannel;

/**
 * Starts a server that behaves like MAX's Bot API for posting bots (networks.md §1–§3, §8): `GET /me`,
 * `GET /chats/{chatId}` and its `/members/me`, `POST`, `GET`, `PUT` and `DELETE /messages`,
 * `GET /messages/{messageId}`, `PUT /chats/{chatId}/pin`, `POST /uploads` with separate upload addresses. It accepts any token and any numeric chat unless a control changes their state. Messages accepted before a
 * stop or kill are restored, uploads included.
 */
export const startMaxStandIn = async (options: StandInOptions): Promise<RunningStandIn> => {
  const chats = new Chats();
  const demo = chats.getOrCreate(DEMO_CHANNEL.credentials.chat_id);
  if (demo) demo.title = DEMO_CHANNEL.name;
  chats.names.set('harbour_news', DEMO_CHANNEL.credentials.chat_id);
  return serveNetwork(
    {
      platform: 'max',
      title: 'MAX',
      theme: THEME,
      onEntry: (entry) => chats.addMessage(entry),
      createNetwork: ({ ledger, changes, media, storedUploads, statistics }) =>
        new MaxNetwork({
          chats,
          uploads: new Uploads(storedUploads, media),
          limits: new RateLimits(),
          ledger,
          changes,
          statistics,
          notReady: 0,
        }),
    },
    options,
  );
};

/** Describes the MAX stand-in. */
export const maxStandIn: StandInDescriptor = {
  platform: 'max',
  theme: THEME,
  demoChannel: DEMO_CHANNEL,
  troubles: {
    token: { status: 401, body: { code: 'verify.token', message: 'Invalid access_token' } },
    limits: { status: 429, body: { code: 'too.many.requests', message: 'Too many requests' } },
    publishing: ['POST /messages'],
  },
  start: startMaxStandIn,
};
