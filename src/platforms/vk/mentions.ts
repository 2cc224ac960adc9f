/**
 * Matches text that VK would parse as a mention: `[id1|words]`, `@id1 (words)`, `*id1 (words)`, and `@` before a
 * possible user name. URLs and e-mail addresses do not contain mentions.
 */
const MENTION =
  /\[(?=[\w./:@-]+\|)|(?<![\w/.@=-])@(?=[a-z]\w)|(?<!\w)\*(?=(?:id|club|public|event)\d|[a-z][\w.]+ \()/gi;

/**
 * Returns the offsets right after characters that would start a mention, in ascending order, in UTF-16 units. An escape
 * there keeps VK from parsing the words as a mention (networks.md §2).
 */
export const findMentionBreaks = (text: string): readonly number[] =>
  Array.from(text.matchAll(MENTION), ({ index }) => index + 1);
