import type { ChatLink } from '../chat-links.js';

const HOSTS: ReadonlySet<string> = new Set(['ok.ru', 'odnoklassniki.ru']);
const ID = /^[1-9]\d{0,19}$/;
/** `profile/…` is the page of a person. */
const NAME = /^(?!profile$|group$|feed$)[a-z][\w.-]{1,63}$/i;

/** Returns the group in a link: `ok.ru/group/7…`, `ok.ru/group7…`, or by its name `ok.ru/acme.news`. */
export const readOkLink = ({ host, path }: ChatLink): string | undefined => {
  if (!HOSTS.has(host)) return undefined;
  const [first = '', second = ''] = path;
  const number = first === 'group' ? second : (/^group(\d+)$/.exec(first)?.[1] ?? '');
  if (ID.test(number)) return number;
  return NAME.test(first) ? `@${first}` : undefined;
};
