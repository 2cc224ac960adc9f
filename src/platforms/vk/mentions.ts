/**
 * Where VK would read a mention: `[id1|words]`, `@id1 (words)`, `*id1 (words)`, and a name behind `@` that happens to
 * be somebody's there. An address in a link or an e-mail is none.
 */
const MENTION =
  /\[(?=[\w./:@-]+\|)|(?<![\w/.@=-])@(?=[a-z]\w)|(?<![\w*])\*(?=(?:id|club|public|event)\d|[a-z][\w.]+ \()/gi;

/**
 * The places of a text where something must stand between to keep VK from making mentions of a user's words
 * (networks.md §2): right behind the sign that would begin one. Ascending, in UTF-16 units.
 */
export const mentionBreaks = (text: string): readonly number[] =>
  Array.from(text.matchAll(MENTION), ({ index }) => index + 1);
