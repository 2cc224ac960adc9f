/** Maximum number of code points in a parsed text (networks.md §2). */
export const MAX_TEXT = 4_096;
/** Maximum number of code points in a parsed caption. */
export const MAX_CAPTION = 1_024;
