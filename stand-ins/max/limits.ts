/** Maximum number of UTF-16 units in the raw field. Tags count until the real rule is known (networks.md §2). */
export const MAX_TEXT = 4_000;
