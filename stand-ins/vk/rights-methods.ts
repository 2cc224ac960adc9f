import type { TextParameters } from '../kit/body.js';
import { ApiError, badParameter } from './api-error.js';
import type { Groups } from './groups.js';

/** Permission bits of a user token: photos, video, wall, offline, groups. */
const USER_RIGHTS = 4 + 16 + 8_192 + 65_536 + 262_144;
const WALL = 8_192;

/** Handles `groups.getById` for one community: its public information and, if requested, the caller's role. */
export const getGroupById = (groups: Groups, { group_id = '', fields = '' }: TextParameters): object => {
  if (!/^[1-9]\d{0,18}$/.test(group_id)) throw badParameter('group_id not positive');
  const { state, title } = groups.getOrCreate(group_id);
  if (state === 'missing') throw new ApiError(125, 'Invalid group id');
  const asked = new Set(fields.split(','));
  const isManager = state === 'managed';
  const group = {
    id: Number(group_id),
    name: title,
    screen_name: `club${group_id}`,
    is_closed: 0,
    type: 'page',
    ...(asked.has('is_admin') ? { is_admin: isManager ? 1 : 0 } : {}),
    ...(asked.has('admin_level') && isManager ? { admin_level: 3 } : {}),
  };
  return { groups: [group], profiles: [] };
};

/** Handles `groups.getTokenPermissions`, which works only with a community token. */
export const getTokenPermissions = (kind: 'user' | 'community', hasWall: boolean): object => {
  if (kind === 'user') throw new ApiError(15, 'Access denied: method is available with group auth only');
  const permissions = [
    { name: 'photos', setting: 4 },
    ...(hasWall ? [{ name: 'wall', setting: WALL }] : []),
    { name: 'docs', setting: 131_072 },
  ];
  return { mask: permissions.reduce((mask, { setting }) => mask + setting, 0), permissions };
};

/** Handles `account.getAppPermissions`: the permission bits of a user token. */
export const getAppPermissions = (hasWall: boolean): number => (hasWall ? USER_RIGHTS : USER_RIGHTS - WALL);
