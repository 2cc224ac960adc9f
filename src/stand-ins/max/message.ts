import type { LedgerEntry } from '../kit/ledger-entry.js';
import { seqOf } from './chats.js';

/** Returns a `Message` of the API, as in the response to a post and in lists. */
export const messageJson = (entry: LedgerEntry): object => {
  const seq = seqOf(entry.message_id);
  return {
    sender: { user_id: 1, name: 'Stand-in bot', is_bot: true },
    recipient: { chat_id: Number(entry.channel), chat_type: 'channel' },
    timestamp: Date.parse(entry.at),
    body: {
      mid: entry.message_id,
      seq,
      text: entry.text,
      attachments: [
        ...entry.media.map(({ type, file, url }) => ({
          type: type === 'photo' ? 'image' : type,
          payload: { url: url ?? `/wall/media/${file}` },
        })),
        ...(entry.buttons.length > 0
          ? [
              {
                type: 'inline_keyboard',
                payload: { buttons: entry.buttons.map((row) => row.map((one) => ({ type: 'link', ...one }))) },
              },
            ]
          : []),
      ],
      ...(entry.entities.length > 0 ? { markup: entry.entities } : {}),
    },
    stat: { views: 0 },
    url: `https://max.ru/c/${entry.channel}/${seq}`,
  };
};
