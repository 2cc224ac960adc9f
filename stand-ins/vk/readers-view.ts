import type { FormattedText, LedgerEntity } from '../kit/ledger-entry.js';
import {
  EMPTY_MESSAGE,
  findUploads,
  mediumAt,
  type ReadersView,
  readReference,
  type WallTheme,
} from '../walls/readers-view.js';

/** Maximum number of UTF-16 units in a post's text. */
export const MAX_MESSAGE = 15_895;

/** `[id1|words]`, `[https://vk.com/…|words]`; `@id1 (words)`, `*id1 (words)`; `@name` and `*id1` alone. */
const MENTION =
  /\[((?:https?:\/\/)?[\w./-]+)\|([^\]\n]+)\]|(?<![\w/.@=-])(?:@([a-z][\w.]+)|\*([a-z][\w.]+)(?= \()|\*((?:id|club|public|event)\d+))(?: \(([^)\n]+)\))?/gi;

/** Returns a wall post's text as readers see it: VK's mentions become links with their labels. */
export const renderMentions = (message: string): FormattedText => {
  const entities: LedgerEntity[] = [];
  let text = '';
  let from = 0;
  for (const match of message.matchAll(MENTION)) {
    const [whole, bracketed, label, at, starred, numbered, words] = match;
    const name = bracketed ?? at ?? starred ?? numbered ?? '';
    const shown = label ?? words ?? whole;
    text += message.slice(from, match.index);
    const url = /^https?:/i.test(name) ? name : `https://vk.com/${name}`;
    entities.push({ type: 'text_link', offset: text.length, length: shown.length, url });
    text += shown;
    from = match.index + whole.length;
  }
  return { text: text + message.slice(from), entities };
};

/** Theme of VK's wall. */
export const THEME: WallTheme = {
  layout: 'cards',
  properties: {
    '--accent': 'light-dark(#0067e0, #71aaff)',
    '--bubble': 'light-dark(#ffffff, #19191a)',
    '--ground': 'light-dark(#edeef0, #0a0a0a)',
    '--like': "'♡  💬  ↪'",
  },
};

/** Shows posts the way readers of VK walls see them. */
export const VK_VIEW: ReadersView = {
  theme: THEME,
  readCalls: (calls) => {
    const files = findUploads(calls);
    const videos = new Set(calls.filter(({ method }) => method === 'video.save').map(({ step }) => step));
    return calls
      .filter(({ method }) => method === 'wall.post')
      .map(({ request: { message, attachments } }) => ({
        ...EMPTY_MESSAGE,
        ...renderMentions(typeof message === 'string' ? message : ''),
        media: (Array.isArray(attachments) ? (attachments as unknown[]) : []).map((attachment) => {
          const step = readReference(attachment) ?? '';
          return mediumAt(videos.has(step) ? 'video' : 'photo', files.get(step) ?? '');
        }),
      }));
  },
  textLimit: () => MAX_MESSAGE,
};
