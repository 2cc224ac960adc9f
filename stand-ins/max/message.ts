import type { LedgerEntity, LedgerEntry, LedgerMedium } from '../kit/ledger-entry.js';
import { BOT } from './bot.js';
import { seqOf } from './chats.js';

/** MAX's names of formatting. */
const MARKUP: Readonly<Record<string, string>> = {
  bold: 'strong',
  italic: 'emphasized',
  code: 'monospaced',
  pre: 'monospaced',
  text_link: 'link',
};

/** Returns a `Message` of the API, as in the response to a post and in lists. */
export const messageJson = (entry: LedgerEntry): object => {
  const seq = seqOf(entry.message_id);
  return {
    sender: BOT,
    recipient: { chat_id: Number(entry.channel), chat_type: 'channel', user_id: null },
    timestamp: Date.parse(entry.at),
    body: {
      mid: entry.message_id,
      seq,
      text: entry.text,
      attachments: [
        ...entry.media.map(mediumJson),
        ...(entry.buttons.length > 0
          ? [
              {
                type: 'inline_keyboard',
                payload: { buttons: entry.buttons.map((row) => row.map((one) => ({ type: 'link', ...one }))) },
              },
            ]
          : []),
      ],
      ...(entry.entities.length > 0 ? { markup: entry.entities.map(markupJson) } : {}),
    },
    stat: { views: 0 },
    url: `https://max.ru/c/${entry.channel}/${seq}`,
  };
};

const mediumJson = ({ type, file, url, name, bytes, hash }: LedgerMedium): object => {
  const id = hash ?? '0';
  const payload = { url: url ?? `/wall/media/${file}`, token: `shown.${id}` };
  if (type === 'photo') return { type: 'image', payload: { ...payload, photo_id: parseInt(id.slice(0, 7), 16) } };
  return type === 'file' ? { type, payload, filename: name, size: bytes } : { type, payload };
};

const markupJson = ({ type, offset, length, url }: LedgerEntity): object => ({
  type: MARKUP[type] ?? type,
  from: offset,
  length,
  ...(url === undefined ? {} : { url }),
});
