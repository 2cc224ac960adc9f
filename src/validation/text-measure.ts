/** How many characters (code points) a well-formed text has; what a limit in "characters" counts. */
export const charactersIn = (text: string): number => {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  return count;
};

/** Something that is neither white space nor one of the characters that are there but never seen. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a reader would see anything of a text; networks refuse a text or a button of which nothing can be seen. */
export const isVisible = (text: string): boolean => VISIBLE.test(text);
