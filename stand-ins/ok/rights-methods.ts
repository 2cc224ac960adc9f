import type { TextParameters } from '../kit/body.js';
import { badParameter } from './api-error.js';
import type { Groups } from './groups.js';

const USER = { uid: '570000000001', name: 'Stand-in user' };
const RIGHTS: ReadonlySet<string> = new Set(['GROUP_CONTENT', 'PHOTO_CONTENT', 'VIDEO_CONTENT', 'VALUABLE_ACCESS']);

/** Handles `users.getCurrentUser`: the account behind the token. */
export const getCurrentUser = (): object => USER;

/** Handles `group.getInfo` for one group; the list is empty if the group does not exist. */
export const getGroupInfo = (groups: Groups, { uids = '', fields = '' }: TextParameters): object => {
  if (!/^[1-9]\d{0,19}$/.test(uids)) throw badParameter('uids is invalid');
  if (fields === '') throw badParameter('fields is required');
  const { state, title } = groups.getOrCreate(uids);
  return state === 'missing' ? [] : [{ uid: uids, name: title }];
};

/** Handles `group.getUserGroupsByIds`: the roles of users in a group; users without a role are omitted. */
export const getUserGroups = (groups: Groups, { group_id = '', uids = '' }: TextParameters): object => {
  if (!/^[1-9]\d{0,19}$/.test(group_id)) throw badParameter('group_id is invalid');
  if (uids === '') throw badParameter('uids is required');
  const isModerator = groups.getOrCreate(group_id).state === 'moderator' && uids === USER.uid;
  return isModerator ? [{ groupId: group_id, userId: uids, status: 'MODERATOR' }] : [];
};

/** Handles `users.hasAppPermission`. */
export const hasAppPermission = ({ ext_perm = '' }: TextParameters, hasRights: boolean): boolean => {
  if (!RIGHTS.has(ext_perm)) throw badParameter('ext_perm is unknown');
  return hasRights || ext_perm === 'VALUABLE_ACCESS';
};
