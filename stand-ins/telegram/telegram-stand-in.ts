import { InvalidControlRequest, readChoice, readPositive, revokeToken, setRateLimits } from '../kit/control.js';
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
import { CHAT_STATES, Chats, type KnownChat } from './chats.js';
import { deleteMessage, pinChatMessage } from './deleting.js';
import { editMessageCaption, editMessageMedia, editMessageText } from './editing.js';
import { fullChatJson, MEDIUM_KINDS, memberJson } from './message.js';
import { ApiError, badRequest, Parameters } from './parameters.js';
import { type Caller, type PostingContext, sendMediaGroup, sendMedium, sendMessage } from './posting.js';
import { RateLimits, TELEGRAM_RATE_LIMITS } from './rate-limits.js';
import { THEME } from './readers-view.js';

/**
 * Telegram's own controls:
 * - `POST /_control/tokens {token, revoked}`: calls with a revoked token get 401
 * - `POST /_control/chats {chat_id, state?, migrated_to?, title?, username?, may_delete?, may_edit?, may_pin?}`: see
 *   `CHAT_STATES`; `migrated_to` null undoes a migration; `may_delete` false makes the chat's messages stay
 * - `POST /_control/minute {ms}`: length of a minute of the 48 hours after which messages stay
 * - `POST /_control/rate-limit {on: true}` or with `chat_per_second`, `chat_per_minute`, `bot_per_second`; `{on: false}`
 */
const controlsOf = (revokedTokens: Set<string>, posting: PostingContext): Controls => ({
  'POST tokens': (body) => revokeToken(revokedTokens, body),
  'POST chats': (body) => setChat(posting.chats, body),
  'POST minute': (body) => ({ ms: (posting.minuteMs = readPositive(body, 'ms')) }),
  'POST rate-limit': (body) => setRateLimits(posting.limits, TELEGRAM_RATE_LIMITS, body),
});

const setChat = (chats: Chats, body: ControlFields): object => {
  const { chat_id, migrated_to, title, username, may_delete, may_edit, may_pin } = body;
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
  if (typeof may_delete === 'boolean') chat.mayDelete = may_delete;
  if (typeof may_edit === 'boolean') chat.mayEdit = may_edit;
  if (typeof may_pin === 'boolean') chat.mayPin = may_pin;
  const { messages: _, ...shown } = chat;
  return shown;
};

/** `/bot<token>/<method>`. */
const PATH = /^\/bot([^/]*)\/+([^/]*)$/;

/** Format of a token that the server looks up: a number, a colon and more characters. */
const TOKEN = /^[1-9]\d{0,15}:[\w-]+$/;

type Method = (posting: PostingContext, parameters: Parameters, caller: Caller) => Promise<object | true>;

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
  ['deletemessage', deleteMessage],
  ['editmessagetext', editMessageText],
  ['editmessagecaption', editMessageCaption],
  ['editmessagemedia', editMessageMedia],
  ['pinchatmessage', pinChatMessage],
  ['sendmessage', sendMessage],
  ['sendmediagroup', sendMediaGroup],
  ...MEDIUM_KINDS.map((kind): [string, Method] => [
    `send${kind}`,
    (posting, parameters, caller) => sendMedium(kind, posting, parameters, caller),
  ]),
]);

/** The Bot API, including its errors. */
class TelegramNetwork implements StandInNetwork {
  readonly platform = 'telegram';
  readonly controls: Controls;
  private readonly revokedTokens = new Set<string>();

  constructor(private readonly posting: PostingContext) {
    this.controls = controlsOf(this.revokedTokens, posting);
  }

  identify(call: StandInCall): { method: string; channel: string | null } {
    const channel = call.fields['chat_id'] ?? call.query.get('chat_id');
    return {
      method: PATH.exec(call.path)?.[2] ?? 'unknown',
      channel: typeof channel === 'string' || typeof channel === 'number' ? String(channel) : null,
    };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    const [, token = '', name = ''] = PATH.exec(call.path) ?? [];
    if (!PATH.test(call.path)) throw new ApiError(404, 'Not Found');
    if (!TOKEN.test(token)) throw new ApiError(401, 'Unauthorized: invalid token specified');
    if (this.revokedTokens.has(token)) throw new ApiError(401, 'Unauthorized');
    const method = METHODS.get(name.toLowerCase());
    if (!method) throw new ApiError(404, 'Not Found: method not found');
    const caller = { botId: token.slice(0, token.indexOf(':')), callId: call.id };
    const result = await method(this.posting, new Parameters(call), caller);
    return { status: 200, body: { ok: true, result } };
  }

  createErrorAnswer(status: number, message: string): StandInAnswer {
    if (status === 400) return badRequest(message).answer;
    const name = STATUS_NAMES[status] ?? 'Error';
    return new ApiError(status, message ? `${name}: ${message}` : name).answer;
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

/** The demo's channel on Telegram. */
const DEMO_CHANNEL = {
  name: 'Harbour News',
  credentials: { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: '@harbour_news' },
} as const satisfies DemoChannel;

/** Options for the Telegram stand-in. */
export interface TelegramStandInOptions extends StandInOptions {
  /** Chats with names; every other chat also exists, under its number or `@name`. */
  readonly chats?: readonly KnownChat[];
}

/**
 * Starts a server that behaves like `api.telegram.org` for posting bots (networks.md §1–§3, §8): `getMe`, `getChat`,
 * `getChatMember`, `deleteMessage`, `editMessageText`, `editMessageCaption`, `editMessageMedia`, `pinChatMessage`,
 * `sendMessage`, `sendPhoto`, `sendVideo`, `sendAudio`, `sendDocument`, `sendMediaGroup`. It accepts any token in the
 * right format and any chat unless a control changes their state. Messages accepted before a stop or kill are restored.
 */
export const startTelegramStandIn = async (options: TelegramStandInOptions): Promise<RunningStandIn> => {
  const demo = { id: DEMO_CHANNEL.credentials.chat_id, title: DEMO_CHANNEL.name };
  const chats = new Chats([demo, ...(options.chats ?? [])]);
  return serveNetwork(
    {
      platform: 'telegram',
      title: 'Telegram',
      theme: THEME,
      onEntry: (entry) => chats.restore(entry),
      createNetwork: ({ ledger, changes, media }) =>
        new TelegramNetwork({
          chats,
          limits: new RateLimits(),
          ledger,
          changes,
          media,
          minuteMs: options.minuteMs ?? 60_000,
        }),
    },
    options,
  );
};

/** Describes the Telegram stand-in. */
export const telegramStandIn: StandInDescriptor = {
  platform: 'telegram',
  theme: THEME,
  demoChannel: DEMO_CHANNEL,
  troubles: {
    token: { status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } },
    limits: {
      status: 429,
      body: {
        ok: false,
        error_code: 429,
        description: 'Too Many Requests: retry after 15',
        parameters: { retry_after: 15 },
      },
    },
    publishing: ['sendMessage', 'sendPhoto', 'sendVideo', 'sendAudio', 'sendDocument', 'sendMediaGroup'],
  },
  start: startTelegramStandIn,
};
