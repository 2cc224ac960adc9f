/** Counts the characters (code points) in well-formed text. Limits in "characters" use this count. */
export const countCharacters = (text: string): number => {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  return count;
};

/** A character that is neither white space nor invisible. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Returns true if the text has a visible character: networks reject messages and buttons without one. */
export const isVisible = (text: string): boolean => VISIBLE.test(text);
