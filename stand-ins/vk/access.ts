import type { TextParameters } from '../kit/body.js';
import type { LedgerEntry } from '../kit/ledger-entry.js';

/** A VK API error, `{"error": …}`, with the network's own message. */
export class ApiError extends Error {
  constructor(
    readonly errorCode: number,
    readonly errorMsg: string,
  ) {
    super(errorMsg);
  }
}

/** Creates error 100: a parameter is missing or invalid. */
export const badParameter = (problem: string): ApiError =>
  new ApiError(100, `One of the parameters specified was missing or invalid: ${problem}`);

/** The post sent with a guid; remembered for an hour. */
interface Guid {
  readonly postId: number;
  readonly at: number;
}

/** The caller's relation to a community. `not_manager`: the user has no role in it, and may not post on the wall. */
export const GROUP_STATES = ['managed', 'missing', 'not_manager'] as const;

/** A community and its wall. */
export interface Group {
  /** Number without a minus sign. */
  readonly id: string;
  title: string;
  state: (typeof GROUP_STATES)[number];
  /** Id of the newest post. */
  lastPostId: number;
  /** Numbers of the posts in the ledger, by id. */
  readonly seqs: Map<string, number>;
  /** Whether VK still lets posts be edited. */
  mayEdit: boolean;
  /** Error for posting, set by a control: 15, 203, 214 …; null for none. */
  postingError: ApiError | null;
  /** Posts per day; null for no limit. */
  dailyLimit: number | null;
  readonly postedAt: number[];
  readonly guids: Map<string, Guid>;
  /** True if a repeated guid creates another post: the gateway must not rely on guids alone (D-41). */
  ignoresGuids: boolean;
}

/** A community that has a name from the start. */
export type KnownGroup = Readonly<Pick<Group, 'id' | 'title'>> & {
  /** Its short name in links. */
  readonly name?: string;
};

const HOUR = 3_600_000;

/** Every community exists unless a control changes its state. */
export class Groups {
  private readonly byId = new Map<string, Group>();
  private readonly names = new Map<string, string>();

  constructor(known: readonly KnownGroup[] = []) {
    for (const { id, title, name } of known) {
      this.getOrCreate(id).title = title;
      if (name !== undefined) this.names.set(name, id);
    }
  }

  getOrCreate(id: string): Group {
    const known = this.byId.get(id);
    if (known) return known;
    const group: Group = {
      id,
      title: `Community ${id}`,
      state: 'managed',
      lastPostId: 0,
      seqs: new Map(),
      mayEdit: true,
      postingError: null,
      dailyLimit: null,
      postedAt: [],
      guids: new Map(),
      ignoresGuids: false,
    };
    this.byId.set(id, group);
    return group;
  }

  /** Returns the id of the group with this short name, such as `club7`; undefined if there is none. */
  idByName(name: string): string | undefined {
    return this.names.get(name) ?? /^(?:club|public|event)(\d+)$/.exec(name)?.[1];
  }

  /** Makes the numbering continue after a ledger entry. */
  restore({ channel, message_id, seq }: LedgerEntry): void {
    const group = this.getOrCreate(channel);
    group.seqs.set(message_id, seq);
    group.lastPostId = Math.max(group.lastPostId, Number(message_id));
  }
}

/** Returns the error for posting on a community's wall; null if the caller may post there. */
export const findWallError = ({ state, postingError }: Group): ApiError | null => {
  if (state === 'missing') return badParameter('owner_id is invalid');
  if (state === 'not_manager') return new ApiError(15, 'Access denied: user should be group editor');
  return postingError;
};

/** Returns the post with this guid from the last hour; null for a new guid. */
export const findPostByGuid = ({ guids, ignoresGuids }: Group, guid: string, now: number): number | null => {
  if (ignoresGuids) return null;
  for (const [old, { at }] of guids) {
    if (at > now - HOUR) break;
    guids.delete(old);
  }
  return guids.get(guid)?.postId ?? null;
};

/** Counts a post towards the daily limit. @throws ApiError 214 if the limit is exceeded */
export const countDailyPost = (group: Group, now: number): void => {
  const { dailyLimit, postedAt } = group;
  if (dailyLimit === null) return;
  while ((postedAt[0] ?? now) < now - 24 * HOUR) postedAt.shift();
  if (postedAt.length >= dailyLimit) {
    throw new ApiError(214, `Access to adding post denied: you can only add ${dailyLimit} posts a day`);
  }
  postedAt.push(now);
};

/** Kinds of access tokens with different rights (networks.md §1). */
export const TOKEN_KINDS = ['user', 'community', 'vk_id', 'revoked'] as const;
type TokenKind = (typeof TOKEN_KINDS)[number];

/**
 * Access tokens and their kinds. Unless a control sets its kind, a token is a VK ID token if it begins with `vk2.a.`, a
 * community token if it contains `community`, and a user token otherwise.
 */
export class Tokens {
  private readonly knownKinds = new Map<string, TokenKind>();
  private readonly withoutWall = new Set<string>();

  /** Sets whether a token may post on walls. */
  setWallRight(token: string, hasWall: boolean): void {
    if (hasWall) this.withoutWall.delete(token);
    else this.withoutWall.add(token);
  }

  hasWallRight(token: string): boolean {
    return !this.withoutWall.has(token);
  }

  set(token: string, kind: TokenKind): void {
    this.knownKinds.set(token, kind);
  }

  /** Returns the kind of a caller's token. @throws ApiError 5 or 1051 for a token without rights */
  authenticate(token: string): 'user' | 'community' {
    if (token === '') throw new ApiError(5, 'User authorization failed: no access_token passed.');
    const kind = this.knownKinds.get(token) ?? kindByForm(token);
    if (kind === 'revoked') throw new ApiError(5, 'User authorization failed: invalid access_token (4).');
    if (kind === 'vk_id') throw new ApiError(1051, 'Method is unavailable for this profile type');
    return kind;
  }
}

const kindByForm = (token: string): TokenKind => {
  if (token.startsWith('vk2.a.')) return 'vk_id';
  return token.includes('community') ? 'community' : 'user';
};

/** Permission bits of a user token: photos, video, wall, offline, groups. */
const USER_RIGHTS = 4 + 16 + 8_192 + 65_536 + 262_144;
const WALL = 8_192;

/** Handles `groups.getById` for one community: its public information and, if requested, the caller's role. */
export const getGroupById = (groups: Groups, { group_id = '', fields = '' }: TextParameters): object => {
  const id = groups.idByName(group_id) ?? group_id;
  if (!/^[1-9]\d{0,18}$/.test(id)) throw badParameter('group_id not positive');
  const { state, title } = groups.getOrCreate(id);
  if (state === 'missing') throw new ApiError(125, 'Invalid group id');
  const asked = new Set(fields.split(','));
  const isManager = state === 'managed';
  const group = {
    id: Number(id),
    name: title,
    screen_name: `club${id}`,
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
