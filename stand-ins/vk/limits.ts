/** Maximum number of UTF-16 units in a post's text. */
export const MAX_MESSAGE = 15_895;
