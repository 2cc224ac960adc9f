import type { TextWithEntities } from '../../payload/entities.js';

/** What Telegram makes a space of, and the `\r` that it takes out; `\n` stays. */
const CONTROLS = /[\0-\t\v-\x1f]/;
const CARRIAGE_RETURN = 13;

/**
 * The text as Telegram keeps it: control characters become spaces and `\r` goes, entities keep their words
 * (networks.md §2). Done here so that the limit is measured on what will stand in the channel. An entity of which
 * nothing is left goes.
 */
export const cleanText = (content: TextWithEntities): TextWithEntities => {
  const { text, entities } = content;
  if (!CONTROLS.test(text)) return content;

  // removed[i]: how many units before unit i are gone.
  const removed = new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) {
    removed[at + 1] = (removed[at] ?? 0) + (text.charCodeAt(at) === CARRIAGE_RETURN ? 1 : 0);
  }
  const moved = (offset: number): number => offset - (removed[offset] ?? 0);
  return {
    text: text.replaceAll('\r', '').replace(new RegExp(CONTROLS, 'g'), ' '),
    entities: entities.flatMap((entity) => {
      const offset = moved(entity.offset);
      const length = moved(entity.offset + entity.length) - offset;
      return length > 0 ? [{ ...entity, offset, length }] : [];
    }),
  };
};

/** How many units of a text those come from that {@link cleanText} makes its first `kept` of. */
export const uncleaned = (text: string, kept: number): number => {
  let at = 0;
  for (let left = kept; left > 0; at++) if (text.charCodeAt(at) !== CARRIAGE_RETURN) left--;
  return at;
};
