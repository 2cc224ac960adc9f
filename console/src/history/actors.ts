import { endpointName, useEndpoints } from '../api/things.js';
import { defineMessages } from '../i18n/messages.js';
import { useSession } from '../session/session.js';

const m = defineMessages({
  en: { gateway: 'The gateway', operator: 'The operator', key: 'A named key', program: 'A program' },
  ru: { gateway: 'Сервер', operator: 'Оператор', key: 'Именной ключ', program: 'Программа' },
});

/** The author of an event, as the API returns it. */
export interface Author {
  readonly actor: string;
  /** The name of the key at that time; only for a named key. */
  readonly actor_name?: string | null;
}

/** Returns a function that names an author: `owner:own_…`, `key:key_…`, `operator`, `endpoint:ep_…`, `system:…`. */
export const useActorName = (): ((author: Author | string) => string) => {
  const session = useSession();
  const endpoints = useEndpoints().data;
  return (author) => {
    const { actor, actor_name: name }: Author = typeof author === 'string' ? { actor: author } : author;
    if (name) return name;
    const [kind, id] = actor.split(':');
    if (kind === 'operator') return m.operator;
    if (kind === 'key') return m.key;
    if (kind === 'owner') return session?.owner && session.owner.id === id ? session.owner.name : (id ?? actor);
    if (kind === 'endpoint') {
      const endpoint = endpoints?.find((each) => each.id === id);
      return endpoint ? endpointName(endpoint) : m.program;
    }
    return m.gateway;
  };
};

/** Returns whether an actor is a person: the operator, an owner or the holder of a named key. */
export const isPerson = (actor: string): boolean => /^(operator$|owner:|key:)/.test(actor);

/** Returns the initials of a name: one letter for a single word, otherwise two. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => Array.from(word)[0]?.toUpperCase() ?? '')
    .join('');
