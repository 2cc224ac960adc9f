import type { ChatLink } from '../chat-links.js';

const HOSTS: ReadonlySet<string> = new Set(['t.me', 'telegram.me', 'telegram.dog']);
const NAME = /^[A-Za-z]\w{3,63}$/;
/** First path segments that lead to no chat, or to one that the link does not name, such as an invitation. */
const NO_NAME =
  /^(?:addemoji|addlist|addstickers|addtheme|boost|contact|giftcode|invoice|joinchat|login|proxy|setlanguage|share|socks)$/i;

/** Returns the chat in a link: `t.me/acme_news/7`, `t.me/c/1234567890/7`, `web.telegram.org/a/#-1001234567890`. */
export const readTelegramLink = ({ host, path, fragment }: ChatLink): string | undefined => {
  if (host === 'web.telegram.org')
    return /^-100\d{9,16}$/.test(fragment) ? fragment : toName(/^@(.+)$/.exec(fragment)?.[1]);
  if (host.endsWith('.t.me')) return toName(host.slice(0, -'.t.me'.length));
  if (!HOSTS.has(host)) return undefined;
  const [first, second] = path;
  if (first === 'c') return second !== undefined && /^\d{1,16}$/.test(second) ? `-100${second}` : undefined;
  return toName(first === 's' ? second : first);
};

const toName = (name: string | undefined): string | undefined =>
  name !== undefined && NAME.test(name) && !NO_NAME.test(name) ? `@${name}` : undefined;
