/** Maximum number of code points in message text after parsing (networks.md §2). */
export const MAX_TEXT = 4_096;
/** Maximum number of code points in a caption after parsing. */
export const MAX_CAPTION = 1_024;
