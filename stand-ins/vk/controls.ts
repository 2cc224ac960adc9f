import { changeGroup, InvalidControlRequest, readChoice, readString } from '../kit/control.js';
import type { ControlFields, StandInAnswer } from '../kit/network.js';
import { ApiError } from './api-error.js';
import { GROUP_STATES, type Groups } from './groups.js';
import { TOKEN_KINDS, type Tokens } from './tokens.js';

/**
 * VK's own controls:
 * - `POST /_control/tokens {token, kind?, wall?}`: see `TOKEN_KINDS`; `wall` false removes the right to post on walls
 * - `POST /_control/groups {group_id, title?, state?, error_code?, error_msg?, daily_limit?, ignore_guids?}`: sets the
 *   title, the state (see `GROUP_STATES`), the error for posting there (`error_code` null removes it), the daily limit
 *   (null, the default, means none; VK's own limit is 50), and whether a repeated `guid` creates another post
 */
export const answerVkControl = (
  { tokens, groups }: { readonly tokens: Tokens; readonly groups: Groups },
  control: string,
  body: ControlFields,
): StandInAnswer | null => {
  switch (control) {
    case 'POST tokens':
      return setToken(tokens, body);
    case 'POST groups':
      return setGroup(groups, body);
    default:
      return null;
  }
};

const setToken = (tokens: Tokens, body: ControlFields): StandInAnswer => {
  const token = readString(body, 'token');
  const { wall } = body;
  if (typeof wall === 'boolean') tokens.setWallRight(token, wall);
  if (body['kind'] === undefined && typeof wall === 'boolean') return { status: 200, body: { wall } };
  const kind = readChoice(body, 'kind', TOKEN_KINDS);
  tokens.set(token, kind);
  return { status: 200, body: { kind } };
};

const setGroup = (groups: Groups, body: ControlFields): StandInAnswer => {
  const { group_id, daily_limit, ignore_guids } = body;
  const id = typeof group_id === 'number' ? String(group_id) : group_id;
  if (typeof id !== 'string' || !/^[1-9]\d*$/.test(id))
    throw new InvalidControlRequest('group_id must be a number without a minus sign');
  const group = groups.getOrCreate(id);
  changeGroup(group, body, GROUP_STATES, (code, message = 'Access denied') => new ApiError(code, message));
  if (daily_limit !== undefined) {
    if (daily_limit !== null && !(typeof daily_limit === 'number' && daily_limit > 0)) {
      throw new InvalidControlRequest('daily_limit must be above 0');
    }
    group.dailyLimit = daily_limit;
  }
  if (typeof ignore_guids === 'boolean') group.ignoresGuids = ignore_guids;
  return { status: 200, body: { group_id: id, title: group.title, daily_limit: group.dailyLimit } };
};
