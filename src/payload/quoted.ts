/** More than this of what somebody sent says nothing new in a message. */
const SHOWN = 40;

/**
 * What somebody sent, for a message to people: in double quotes, on one line, at most 40 UTF-16 units of it, however
 * long it is. Half a character is not shown.
 */
export const quoted = (text: string): string => {
  if (text.length <= SHOWN) return JSON.stringify(text);
  const splits = (text.charCodeAt(SHOWN - 1) & 0xfc00) === 0xd800;
  return `${JSON.stringify(text.slice(0, splits ? SHOWN - 1 : SHOWN))}…`;
};
