import type { FormattedText, LedgerEntity } from '../kit/ledger-entry.js';

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
