import { endpointName, useEndpoints } from '../api/things.js';
import { defineMessages } from '../i18n/messages.js';
import { useSession } from '../session/session.js';

const m = defineMessages({
  en: {
    titles: { gateway: 'The gateway', operator: 'The operator', key: 'A named key', program: 'A program' },
    inText: { gateway: 'the gateway', operator: 'the operator', key: 'a named key', program: 'a program' },
  },
  ru: {
    titles: { gateway: 'Сервер', operator: 'Оператор', key: 'Именной ключ', program: 'Программа' },
    inText: { gateway: 'сервер', operator: 'оператор', key: 'именной ключ', program: 'программа' },
  },
});

/** The author of an event, as the API returns it. */
export interface Author {
  readonly actor: string;
  /** The name of the key at that time; only for a named key. */
  readonly actor_name?: string | null;
}

const useNamer = (words: 'titles' | 'inText'): ((author: Author | string) => string) => {
  const session = useSession();
  const endpoints = useEndpoints().data;
  return (author) => {
    const { actor, actor_name: name }: Author = typeof author === 'string' ? { actor: author } : author;
    const { gateway, operator, key, program } = m[words];
    if (name) return name;
    const [kind, id] = actor.split(':');
    if (kind === 'operator') return operator;
    if (kind === 'key') return key;
    if (kind === 'owner') return session?.owner && session.owner.id === id ? session.owner.name : (id ?? actor);
    if (kind === 'endpoint') {
      const endpoint = endpoints?.find((each) => each.id === id);
      return endpoint ? endpointName(endpoint) : program;
    }
    return gateway;
  };
};

/** Returns a function that names an author: `owner:own_…`, `key:key_…`, `operator`, `endpoint:ep_…`, `system:…`. */
export const useActorName = () => useNamer('titles');

/** Returns a function that names an author inside a sentence. */
export const useActorInText = () => useNamer('inText');

/** Returns whether an actor is a person: the operator, an owner or the holder of a named key. */
export const isPerson = (actor: string): boolean => /^(operator$|owner:|key:)/.test(actor);

/** Returns the initials of a name: one letter for a single word, otherwise two. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => Array.from(word)[0]?.toUpperCase() ?? '')
    .join('');
