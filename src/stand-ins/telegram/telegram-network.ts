import type { StandInAnswer, StandInCall, StandInNetwork } from '../kit/network.js';
import { answerTelegramControl } from './controls.js';
import { MEDIUM_KINDS } from './media.js';
import { chatJson } from './message.js';
import { Parameters } from './parameters.js';
import { sendMediaGroup, sendMedium, sendMessage, type Caller, type Posting } from './posting.js';
import { Refusal, badRequest } from './refusal.js';

/** `/bot<token>/<method>`. */
const PATH = /^\/bot([^/]*)\/+([^/]*)$/;

/** A token that the server looks up at all; it never asks more of it than a colon and a number before it. */
const TOKEN = /^[1-9]\d{0,15}:[\w-]+$/;

type Method = (posting: Posting, parameters: Parameters, caller: Caller) => Promise<object>;

const getMe: Method = async (_posting, _parameters, { botId }) => ({
  id: Number(botId),
  is_bot: true,
  first_name: 'Stand-in bot',
  username: `stand_in_${botId}_bot`,
  can_join_groups: true,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
});

const getChat: Method = async ({ chats }, parameters) => chatJson(chats.forPosting(parameters.string('chat_id')));

/** By name in small letters: the server does not mind the case. */
const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['getme', getMe],
  ['getchat', getChat],
  ['sendmessage', sendMessage],
  ['sendmediagroup', sendMediaGroup],
  ...MEDIUM_KINDS.map((kind): [string, Method] => [
    `send${kind}`,
    (posting, parameters, caller) => sendMedium(kind, posting, parameters, caller),
  ]),
]);

/** The Bot API as a publisher meets it, errors and all. */
export class TelegramNetwork implements StandInNetwork {
  readonly platform = 'telegram';
  readonly title = 'Telegram';
  readonly revokedTokens = new Set<string>();

  constructor(readonly posting: Posting) {}

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
      if (!PATH.test(call.path)) throw new Refusal(404, 'Not Found');
      if (!TOKEN.test(token)) throw new Refusal(401, 'Unauthorized: invalid token specified');
      if (this.revokedTokens.has(token)) throw new Refusal(401, 'Unauthorized');
      const method = METHODS.get(name.toLowerCase());
      if (!method) throw new Refusal(404, 'Not Found: method not found');
      const caller = { botId: token.slice(0, token.indexOf(':')), callId: call.id };
      const result = await method(this.posting, new Parameters(call), caller);
      return { status: 200, body: { ok: true, result } };
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      throw error;
    }
  }

  failure(status: number, sentence: string): StandInAnswer {
    if (status === 400) return refused(badRequest(sentence));
    const name = FAILURES[status] ?? 'Error';
    return refused(new Refusal(status, sentence ? `${name}: ${sentence}` : name));
  }

  control(httpMethod: string, path: string, body: Readonly<Record<string, unknown>>): StandInAnswer | null {
    return answerTelegramControl(this, httpMethod, path, body);
  }
}

const FAILURES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  504: 'Gateway Timeout',
};

const refused = ({ errorCode, description, parameters }: Refusal): StandInAnswer => ({
  status: errorCode,
  body: { ok: false, error_code: errorCode, description, ...(parameters ? { parameters } : {}) },
  ...(parameters?.retry_after === undefined ? {} : { headers: { 'retry-after': String(parameters.retry_after) } }),
});
