import type { FormattedText } from '../kit/ledger-entry.js';
import {
  EMPTY_MESSAGE,
  mediumAt,
  type PreviewedCall,
  type ReadersView,
  readFilePlaceholder,
  readReference,
  type VisibleMedium,
  type VisibleMessage,
  type WallTheme,
} from '../walls/readers-view.js';
import { limitEntities, parseEntities } from './formatted-text.js';
import { checkKeyboard, MAX_CAPTION, MAX_TEXT, parseKeyboard } from './keyboard.js';

/** Theme of Telegram's wall. */
export const THEME: WallTheme = {};

/** Shows messages the way Telegram readers see them. */
export const TELEGRAM_VIEW: ReadersView = {
  theme: THEME,
  readCalls: (calls) => calls.filter(({ method }) => /^send[A-Z]/.test(method)).map(readCall),
  textLimit: ({ media }) => (media.length > 0 ? MAX_CAPTION : MAX_TEXT),
};

const readCall = ({ method, request }: PreviewedCall): VisibleMessage => {
  const items = method === 'sendMediaGroup' && Array.isArray(request['media']) ? (request['media'] as unknown[]) : [];
  const kind = method.slice('send'.length).toLowerCase();
  const own = kind in request ? [readMedium(kind, request[kind], request)] : [];
  const captioned = [request, ...items.map(fieldsOf)].find(({ caption }) => typeof caption === 'string') ?? {};
  const { message_id: replyTo } = fieldsOf(request['reply_parameters']);
  return {
    ...EMPTY_MESSAGE,
    ...(kind === 'message'
      ? readText(request['text'], request['entities'])
      : readText(captioned['caption'], captioned['caption_entities'])),
    media: [
      ...own,
      ...items.map((item) => readMedium(String(fieldsOf(item)['type']), fieldsOf(item)['media'], request)),
    ],
    buttons: request['reply_markup'] === undefined ? [] : checkKeyboard(parseKeyboard(request['reply_markup'])),
    reply_to: readReference(replyTo),
  };
};

const readText = (text: unknown, entities: unknown): FormattedText => ({
  text: typeof text === 'string' ? text : '',
  entities: limitEntities(parseEntities(entities)),
});

const readMedium = (kind: string, reference: unknown, request: PreviewedCall['request']): VisibleMedium => {
  const attached = typeof reference === 'string' ? /^attach:\/\/(.*)$/s.exec(reference)?.[1] : undefined;
  return mediumAt(kind, readFilePlaceholder(request[attached ?? '']) ?? String(reference));
};

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (value ?? {}) as Record<string, unknown>;
