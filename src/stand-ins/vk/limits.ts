/** UTF-16 code units of a post's text, at most. */
export const MAX_MESSAGE = 15_895;
