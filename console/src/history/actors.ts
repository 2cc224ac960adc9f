import { endpointName, useEndpoints } from '../api/things.js';
import { defineMessages } from '../i18n/messages.js';
import { useSession } from '../session/session.js';

const m = defineMessages({
  en: { gateway: 'the gateway', operator: 'operator' },
  ru: { gateway: 'сервер', operator: 'оператор' },
});

/** Returns a function that names the author of an event: `owner:own_…`, `operator`, `endpoint:ep_…`, `system:…`. */
export const useActorName = (): ((actor: string) => string) => {
  const session = useSession();
  const endpoints = useEndpoints().data;
  return (actor) => {
    const [kind, id] = actor.split(':');
    if (kind === 'operator') return m.operator;
    if (kind === 'owner') return session?.owner && session.owner.id === id ? session.owner.name : (id ?? actor);
    if (kind === 'endpoint') {
      const endpoint = endpoints?.find((each) => each.id === id);
      return (endpoint && endpointName(endpoint)) ?? id ?? actor;
    }
    return m.gateway;
  };
};

/** Returns whether an actor is a person: the operator or an owner. */
export const isPerson = (actor: string): boolean => actor === 'operator' || actor.startsWith('owner:');

/** Returns the initials of a name: one letter for a single word, otherwise two. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => Array.from(word)[0]?.toUpperCase() ?? '')
    .join('');
