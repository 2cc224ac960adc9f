import { InvalidControlRequest } from '../kit/invalid-control-request.js';
import type { StandInAnswer } from '../kit/network.js';
import { TOKEN_STATES, type Applications, type TokenState } from './applications.js';
import { GROUP_STATES, type Groups, type GroupState } from './groups.js';
import { ApiError } from './api-error.js';

type Body = Readonly<Record<string, unknown>>;

/**
 * OK's own controls:
 * - `POST /_control/applications {application_key, application_secret}`: enables the verification of its signatures
 * - `POST /_control/tokens {token, state}`: see `TOKEN_STATES`
 * - `POST /_control/groups {group_id, title?, state?, error_code?, error_msg?}`: sets the error of posting there; null
 *   removes it; see `GROUP_STATES`
 * - `POST /_control/limits {text}`: UTF-16 code units of a text, at most (error 601)
 */
export const answerOkControl = (
  { applications, groups }: { readonly applications: Applications; readonly groups: Groups },
  httpMethod: string,
  path: string,
  body: Body,
): StandInAnswer | null => {
  switch (`${httpMethod} ${path}`) {
    case 'POST applications':
      applications.addApplication(readString(body, 'application_key'), readString(body, 'application_secret'));
      return { status: 200, body: {} };
    case 'POST tokens': {
      const { state } = body;
      if (!TOKEN_STATES.includes(state as TokenState)) {
        throw new InvalidControlRequest(`state must be one of ${TOKEN_STATES.join(', ')}`);
      }
      applications.setToken(readString(body, 'token'), state as TokenState);
      return { status: 200, body: { state } };
    }
    case 'POST groups':
      return setGroup(groups, body);
    case 'POST limits': {
      const { text } = body;
      if (typeof text !== 'number' || text <= 0) throw new InvalidControlRequest('text must be above 0');
      groups.textLimit = text;
      return { status: 200, body: { text } };
    }
    default:
      return null;
  }
};

const setGroup = (groups: Groups, body: Body): StandInAnswer => {
  const group = groups.getOrCreate(readString(body, 'group_id'));
  const { title, state, error_code, error_msg = 'refused' } = body;
  if (typeof title === 'string') group.title = title;
  if (state !== undefined) {
    if (!GROUP_STATES.includes(state as GroupState))
      throw new InvalidControlRequest(`state must be one of ${GROUP_STATES.join(', ')}`);
    group.state = state as GroupState;
  }
  if (error_code === null) group.postingError = null;
  if (typeof error_code === 'number') group.postingError = new ApiError(error_code, error_msg as string);
  return { status: 200, body: { group_id: group.id, title: group.title } };
};

const readString = (body: Body, name: string): string => {
  const value = body[name];
  if (typeof value !== 'string' || value === '') throw new InvalidControlRequest(`${name} must be a string`);
  return value;
};
