import type { ChatLink } from '../chat-links.js';

const HOSTS: ReadonlySet<string> = new Set(['vk.com', 'vk.ru', 'vkontakte.ru']);
/** A community's number in an address, also in that of a post, which may follow `?w=` on any page. */
const NUMBERED = /^(?:(?:club|public|event)|wall-)([1-9]\d{0,19})(?:_|$)/;
/** `id…` is the page of a person. */
const NAME = /^(?!id\d+$)[a-z][\w.]{1,63}$/i;

/** Returns the community in a link: `vk.com/club1`, `vk.com/wall-1_7`, or by its name `vk.com/acme_news`. */
export const readVkLink = ({ host, path, query }: ChatLink): string | undefined => {
  if (!HOSTS.has(host)) return undefined;
  const [first = ''] = path;
  const [, number] = NUMBERED.exec(first) ?? NUMBERED.exec(query.get('w') ?? '') ?? [];
  if (number !== undefined) return number;
  const name = first.replace(/^@/, '');
  return NAME.test(name) ? `@${name}` : undefined;
};
