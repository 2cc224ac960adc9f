/** Code points of a parsed text, at most (networks.md §2). */
export const MAX_TEXT = 4_096;
/** Code points of a parsed caption, at most. */
export const MAX_CAPTION = 1_024;
