import { BadFault } from '../kit/faults.js';
import type { StandInAnswer } from '../kit/network.js';
import { TOKEN_STATES, type Applications, type TokenState } from './applications.js';
import type { Groups } from './groups.js';
import { Refusal } from './refusal.js';

type Body = Readonly<Record<string, unknown>>;

/**
 * OK's own controls:
 * - `POST /_control/applications {application_key, application_secret}`: its signatures are computed anew from now on
 * - `POST /_control/tokens {token, state}`: see `TOKEN_STATES`
 * - `POST /_control/groups {group_id, title?, error_code?, error_msg?}`: what posting there meets; null takes it back
 * - `POST /_control/limits {text}`: characters of a text (error 601)
 */
export const answerOkControl = (
  { applications, groups }: { readonly applications: Applications; readonly groups: Groups },
  httpMethod: string,
  path: string,
  body: Body,
): StandInAnswer | null => {
  switch (`${httpMethod} ${path}`) {
    case 'POST applications':
      applications.know(word(body, 'application_key'), word(body, 'application_secret'));
      return { status: 200, body: {} };
    case 'POST tokens': {
      const { state } = body;
      if (!TOKEN_STATES.includes(state as TokenState)) {
        throw new BadFault(`state must be one of ${TOKEN_STATES.join(', ')}`);
      }
      applications.setToken(word(body, 'token'), state as TokenState);
      return { status: 200, body: { state } };
    }
    case 'POST groups':
      return setGroup(groups, body);
    case 'POST limits': {
      const { text } = body;
      if (typeof text !== 'number' || text <= 0) throw new BadFault('text must be above 0');
      groups.textLimit = text;
      return { status: 200, body: { text } };
    }
    default:
      return null;
  }
};

const setGroup = (groups: Groups, body: Body): StandInAnswer => {
  const group = groups.find(word(body, 'group_id'));
  const { title, error_code, error_msg = 'refused' } = body;
  if (typeof title === 'string') group.title = title;
  if (error_code === null) group.refusal = null;
  if (typeof error_code === 'number') group.refusal = new Refusal(error_code, error_msg as string);
  return { status: 200, body: { group_id: group.id, title: group.title } };
};

const word = (body: Body, name: string): string => {
  const value = body[name];
  if (typeof value !== 'string' || value === '') throw new BadFault(`${name} must be a string`);
  return value;
};
