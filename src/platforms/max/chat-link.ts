import type { ChatLink } from '../chat-links.js';

const HOSTS: ReadonlySet<string> = new Set(['max.ru', 'web.max.ru']);
const ID = /^-?[1-9]\d{0,19}$/;
const NAME = /^[a-z][\w-]{1,63}$/i;

/** Returns the chat in a link: `web.max.ru/-709…`, `max.ru/c/-709…/7`, or by its name `max.ru/acme_news`. */
export const readMaxLink = ({ host, path }: ChatLink): string | undefined => {
  if (!HOSTS.has(host)) return undefined;
  const [first = '', second] = path;
  if (first === 'c') return second !== undefined && ID.test(second) ? second : undefined;
  if (ID.test(first)) return first;
  // A second segment belongs to an invitation (`join/…`) or a person (`u/…`).
  return second === undefined && NAME.test(first) ? `@${first}` : undefined;
};
