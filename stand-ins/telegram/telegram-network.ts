import type { ControlFields, StandInAnswer, StandInCall, StandInNetwork } from '../kit/network.js';
import { ApiError, badRequest } from './api-error.js';
import { answerTelegramControl } from './controls.js';
import { fullChatJson, MEDIUM_KINDS, memberJson } from './message.js';
import { Parameters } from './parameters.js';
import { type Caller, type PostingContext, sendMediaGroup, sendMedium, sendMessage } from './posting.js';

/** `/bot<token>/<method>`. */
const PATH = /^\/bot([^/]*)\/+([^/]*)$/;

/** Format of a token that the server looks up: a number, a colon and more characters. */
const TOKEN = /^[1-9]\d{0,15}:[\w-]+$/;

type Method = (posting: PostingContext, parameters: Parameters, caller: Caller) => Promise<object>;

const botUser = (botId: string): object => ({
  id: Number(botId),
  is_bot: true,
  first_name: 'Stand-in bot',
  username: `stand_in_${botId}_bot`,
});

const getMe: Method = async (_posting, _parameters, { botId }) => ({
  ...botUser(botId),
  can_join_groups: true,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
});

const getChat: Method = async ({ chats }, parameters) =>
  fullChatJson(chats.getForReading(parameters.string('chat_id')));

/** Responds only for the calling bot, because the stand-in knows no other members. */
const getChatMember: Method = async ({ chats }, parameters, { botId }) => {
  const chat = chats.getForReading(parameters.string('chat_id'));
  const userId = parameters.string('user_id');
  if (!/^[1-9]\d{0,15}$/.test(userId)) throw badRequest('invalid user_id specified');
  if (userId !== botId) throw badRequest('PARTICIPANT_ID_INVALID');
  return memberJson(chat, botUser(botId));
};

/** Methods by lower-case name: the server ignores case. */
const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['getme', getMe],
  ['getchat', getChat],
  ['getchatmember', getChatMember],
  ['sendmessage', sendMessage],
  ['sendmediagroup', sendMediaGroup],
  ...MEDIUM_KINDS.map((kind): [string, Method] => [
    `send${kind}`,
    (posting, parameters, caller) => sendMedium(kind, posting, parameters, caller),
  ]),
]);

/** The Bot API, including its errors. */
export class TelegramNetwork implements StandInNetwork {
  readonly platform = 'telegram';
  readonly revokedTokens = new Set<string>();

  constructor(readonly posting: PostingContext) {}

  identify(call: StandInCall): { method: string; channel: string | null } {
    const channel = call.fields['chat_id'] ?? call.query.get('chat_id');
    return {
      method: PATH.exec(call.path)?.[2] ?? 'unknown',
      channel: typeof channel === 'string' || typeof channel === 'number' ? String(channel) : null,
    };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    try {
      const [, token = '', name = ''] = PATH.exec(call.path) ?? [];
      if (!PATH.test(call.path)) throw new ApiError(404, 'Not Found');
      if (!TOKEN.test(token)) throw new ApiError(401, 'Unauthorized: invalid token specified');
      if (this.revokedTokens.has(token)) throw new ApiError(401, 'Unauthorized');
      const method = METHODS.get(name.toLowerCase());
      if (!method) throw new ApiError(404, 'Not Found: method not found');
      const caller = { botId: token.slice(0, token.indexOf(':')), callId: call.id };
      const result = await method(this.posting, new Parameters(call), caller);
      return { status: 200, body: { ok: true, result } };
    } catch (error) {
      if (error instanceof ApiError) return errorAnswer(error);
      throw error;
    }
  }

  createErrorAnswer(status: number, message: string): StandInAnswer {
    if (status === 400) return errorAnswer(badRequest(message));
    const name = STATUS_NAMES[status] ?? 'Error';
    return errorAnswer(new ApiError(status, message ? `${name}: ${message}` : name));
  }

  handleControl(control: string, fields: ControlFields): StandInAnswer | null {
    return answerTelegramControl(this, control, fields);
  }
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  504: 'Gateway Timeout',
};

const errorAnswer = ({ errorCode, description, parameters }: ApiError): StandInAnswer => ({
  status: errorCode,
  body: { ok: false, error_code: errorCode, description, ...(parameters ? { parameters } : {}) },
  ...(parameters?.retry_after === undefined ? {} : { headers: { 'retry-after': String(parameters.retry_after) } }),
});
