import type { ControlFields, StandInAnswer, StandInCall, StandInNetwork } from '../kit/network.js';
import { ApiError, badPayload } from './api-error.js';
import { BOT } from './bot.js';
import type { Chat } from './chats.js';
import { answerMaxControl } from './controls.js';
import { listMessages, type PostingContext, postMessage } from './posting.js';

/** Path of a chat, or of the bot's membership in it. */
const CHAT = /^\/chats\/([^/]+)(\/members\/me)?$/;

/** Path for uploads: `/upload/<id>`, which requires no token. */
const UPLOAD = /^\/upload\/([0-9a-f]{24})$/;

const MB = 1_048_576;

/** MAX's Bot API, including its errors. */
export class MaxNetwork implements StandInNetwork {
  readonly platform = 'max';
  /** Room for the largest upload, its framing and a margin: an oversized file must get the network's own error. */
  readonly maxBodyBytes = 264 * MB;
  readonly revokedTokens = new Set<string>();

  constructor(readonly posting: PostingContext) {}

  identify({ httpMethod, path, query }: StandInCall): { method: string; channel: string | null } {
    const [, chatId, member = ''] = CHAT.exec(path) ?? [];
    if (chatId !== undefined) return { method: `${httpMethod} /chats/{chatId}${member}`, channel: decode(chatId) };
    return { method: UPLOAD.test(path) ? 'upload' : `${httpMethod} ${path}`, channel: query.get('chat_id') };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    try {
      return { status: 200, ...(await this.route(call)) };
    } catch (error) {
      if (error instanceof ApiError) return errorAnswer(error);
      throw error;
    }
  }

  createErrorAnswer(status: number, message: string): StandInAnswer {
    if (status === 400) return errorAnswer(badPayload(message));
    const code = CODES[status] ?? 'error';
    return errorAnswer(new ApiError(status, code, message || code));
  }

  handleControl(control: string, fields: ControlFields): StandInAnswer | null {
    return answerMaxControl(this, control, fields);
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
        return { body: listMessages(posting, call) };
      case 'POST /uploads': {
        const { id, ...early } = posting.uploads.createUpload(query.get('type'));
        return { body: { url: `http://${headers.host}/upload/${id}`, ...early } };
      }
      default: {
        const [, chatId, member] = CHAT.exec(path) ?? [];
        if (httpMethod === 'GET' && chatId !== undefined)
          return { body: describeChat(posting.chats.getForMember(decode(chatId)), member !== undefined) };
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

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const describeChat = ({ id, title, state }: Chat, isMembership: boolean): object => {
  const isAdmin = state === 'admin';
  if (isMembership)
    return {
      ...BOT,
      last_access_time: BOT.last_activity_time,
      join_time: BOT.last_activity_time,
      is_owner: false,
      is_admin: isAdmin,
      permissions: isAdmin ? ['read_all_messages', 'write'] : null,
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

const errorAnswer = ({ status, code, message, headers }: ApiError): StandInAnswer => ({
  status,
  body: { code, message },
  headers,
});
