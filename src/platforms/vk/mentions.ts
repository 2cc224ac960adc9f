/**
 * Matches text that VK would parse as a mention: `[id1|words]`, `@id1 (words)`, `*id1 (words)`, and a name after `@`
 * that may be a user's. An address in a link or an e-mail is not a mention.
 */
const MENTION =
  /\[(?=[\w./:@-]+\|)|(?<![\w/.@=-])@(?=[a-z]\w)|(?<!\w)\*(?=(?:id|club|public|event)\d|[a-z][\w.]+ \()/gi;

/**
 * Returns the offsets at which a text needs an escape, so that VK does not parse its words as mentions (networks.md
 * §2): right after the sign that would start a mention. Ascending, in UTF-16 units.
 */
export const findMentionBreaks = (text: string): readonly number[] =>
  Array.from(text.matchAll(MENTION), ({ index }) => index + 1);
