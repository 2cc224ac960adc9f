import type { LedgerEntry, LedgerMedium } from '../kit/ledger-entry.js';

/** One message as readers see it. */
export type VisibleMessage = Pick<LedgerEntry, 'text' | 'entities' | 'buttons' | 'reply_to' | 'group_id'> & {
  readonly media: readonly VisibleMedium[];
};

/** A medium as readers see it. */
export type VisibleMedium = Pick<LedgerMedium, 'type' | 'file' | 'url' | 'name' | 'bytes'>;

/** Joins the messages of each album into one message, with the text of the first message that has one. */
export const joinAlbums = <T extends VisibleMessage>(messages: readonly T[]): T[] => {
  const joined: T[] = [];
  for (const message of messages) {
    const album = joined.at(-1);
    if (album && message.group_id !== null && album.group_id === message.group_id) {
      const { text, entities } = album.text === '' ? message : album;
      joined[joined.length - 1] = { ...album, text, entities, media: [...album.media, ...message.media] };
    } else joined.push(message);
  }
  return joined;
};
