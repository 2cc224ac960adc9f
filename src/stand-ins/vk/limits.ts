/** Maximum number of UTF-16 code units of a post's text. */
export const MAX_MESSAGE = 15_895;
