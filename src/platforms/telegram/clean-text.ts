import type { TextWithEntities } from '../../payload/entities.js';

/** Matches characters that Telegram replaces with a space, and `\r`, which it removes. Telegram keeps `\n`. */
const CONTROLS = /[\0-\t\v-\x1f]/;
const CARRIAGE_RETURN = 13;

/**
 * Returns the text the way Telegram stores it, so that the limit applies to what the channel shows (networks.md §2):
 * control characters become spaces, `\r` is removed, entities still cover the same words. Removes entities that become
 * empty.
 */
export const cleanText = (content: TextWithEntities): TextWithEntities => {
  const { text, entities } = content;
  if (!CONTROLS.test(text)) return content;

  // removed[i]: number of units removed before unit i.
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

/** Returns how many UTF-16 units of the original text make up the first `kept` units of {@link cleanText}'s result. */
export const originalLength = (text: string, kept: number): number => {
  let at = 0;
  for (let left = kept; left > 0; at++) if (text.charCodeAt(at) !== CARRIAGE_RETURN) left--;
  return at;
};
