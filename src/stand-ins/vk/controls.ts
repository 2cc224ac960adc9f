import { InvalidControlRequest } from '../kit/invalid-control-request.js';
import type { StandInAnswer } from '../kit/network.js';
import { GROUP_STATES, type Groups, type GroupState } from './groups.js';
import { ApiError } from './api-error.js';
import { TOKEN_KINDS, type TokenKind, type Tokens } from './tokens.js';

type Body = Readonly<Record<string, unknown>>;

/**
 * VK's own controls:
 * - `POST /_control/tokens {token, kind?, wall?}`: see `TOKEN_KINDS`; `wall` false takes the right to walls away
 * - `POST /_control/groups {group_id, title?, state?, error_code?, error_msg?, daily_limit?}`: sets the error of posting there;
 *   `error_code` null removes it; see `GROUP_STATES`; `daily_limit` 50 is VK's own limit, null, the default, means none
 */
export const answerVkControl = (
  { tokens, groups }: { readonly tokens: Tokens; readonly groups: Groups },
  httpMethod: string,
  path: string,
  body: Body,
): StandInAnswer | null => {
  switch (`${httpMethod} ${path}`) {
    case 'POST tokens':
      return setToken(tokens, body);
    case 'POST groups':
      return setGroup(groups, body);
    default:
      return null;
  }
};

const setToken = (tokens: Tokens, { token, kind, wall }: Body): StandInAnswer => {
  if (typeof token !== 'string' || token === '') throw new InvalidControlRequest('token must be a string');
  if (typeof wall === 'boolean') tokens.setWallRight(token, wall);
  if (kind === undefined && typeof wall === 'boolean') return { status: 200, body: { wall } };
  if (!TOKEN_KINDS.includes(kind as TokenKind))
    throw new InvalidControlRequest(`kind must be one of ${TOKEN_KINDS.join(', ')}`);
  tokens.set(token, kind as TokenKind);
  return { status: 200, body: { kind } };
};

const setGroup = (groups: Groups, body: Body): StandInAnswer => {
  const { group_id, title, state, error_code, error_msg = 'Access denied', daily_limit } = body;
  const id = typeof group_id === 'number' ? String(group_id) : group_id;
  if (typeof id !== 'string' || !/^[1-9]\d*$/.test(id))
    throw new InvalidControlRequest('group_id must be a number without a minus');
  const group = groups.getOrCreate(id);
  if (typeof title === 'string') group.title = title;
  if (state !== undefined) {
    if (!GROUP_STATES.includes(state as GroupState))
      throw new InvalidControlRequest(`state must be one of ${GROUP_STATES.join(', ')}`);
    group.state = state as GroupState;
  }
  if (error_code === null) group.postingError = null;
  if (typeof error_code === 'number') group.postingError = new ApiError(error_code, error_msg as string);
  if (daily_limit !== undefined) {
    if (daily_limit !== null && !(typeof daily_limit === 'number' && daily_limit > 0)) {
      throw new InvalidControlRequest('daily_limit must be above 0');
    }
    group.dailyLimit = daily_limit;
  }
  return { status: 200, body: { group_id: id, title: group.title, daily_limit: group.dailyLimit } };
};
