import { hash } from 'node:crypto';
import type { TextParameters } from '../kit/body.js';
import type { LedgerEntry } from '../kit/ledger-entry.js';
import { NetworkError } from '../kit/network.js';

/** An OK API error, `{"error_code": …}`, with the network's own message; a header has the code too. */
export class ApiError extends NetworkError {
  constructor(errorCode: number, errorMsg: string) {
    super(errorMsg, {
      status: 200,
      body: { error_code: errorCode, error_msg: errorMsg, error_data: null },
      headers: { 'invocation-error': String(errorCode) },
    });
  }
}

/** Creates error 100: a parameter is missing or invalid. */
export const badParameter = (problem: string): ApiError => new ApiError(100, `PARAM : ${problem}`);

/** The caller's relation to a group. `no_member`: the account is not a member. */
export const GROUP_STATES = ['moderator', 'missing', 'no_member'] as const;

interface Group {
  readonly id: string;
  title: string;
  state: (typeof GROUP_STATES)[number];
  /** Error for posting, set by a control; null for none. */
  postingError: ApiError | null;
}

/** A group that has a name from the start. */
export type KnownGroup = Readonly<Pick<Group, 'id' | 'title'>> & {
  /** Its name in links. */
  readonly name?: string;
};

/** Returns the error for a post in a group; null if the caller may post. */
export const findPostingError = ({ state, postingError }: Group): ApiError | null => {
  if (state === 'missing') return new ApiError(160, 'PARAM_GROUP_ID : Invalid group ID');
  if (state === 'no_member') return new ApiError(50, 'NOT_ADMIN : User must be an administrator of the group');
  return postingError;
};

/** Topics of all groups share one sequence of numbers. */
const FIRST_TOPIC = 154_000_000_000_000;

/** Every group exists unless a control changes its state. */
export class Groups {
  private readonly byId = new Map<string, Group>();
  private readonly names = new Map<string, string>();
  private lastTopic = FIRST_TOPIC;
  /** The group of each topic, oldest first. */
  private readonly topics: string[] = [];
  /** Maximum number of UTF-16 units in a topic's text (error 601). */
  textLimit = 16_000;

  constructor(known: readonly KnownGroup[] = []) {
    for (const { id, title, name } of known) {
      this.getOrCreate(id).title = title;
      if (name !== undefined) this.names.set(name, id);
    }
  }

  getOrCreate(id: string): Group {
    const known = this.byId.get(id);
    if (known) return known;
    const group: Group = { id, title: `Group ${id}`, state: 'moderator', postingError: null };
    this.byId.set(id, group);
    return group;
  }

  /** Returns the id of the group with this name in links; undefined for an unknown name. */
  idByName(name: string): string | undefined {
    return this.names.get(name);
  }

  /** Returns the id for a new topic in a group. */
  nextTopicId(group: string): string {
    this.topics[this.lastTopic - FIRST_TOPIC] = group;
    return String(++this.lastTopic);
  }

  /** Returns the group of a topic; undefined for an unknown one. */
  groupOf(topicId: string): string | undefined {
    return this.topics[Number(topicId) - FIRST_TOPIC - 1];
  }

  /** Makes the numbering continue after a ledger entry. */
  restore({ channel, message_id }: LedgerEntry): void {
    this.lastTopic = Math.max(this.lastTopic, Number(message_id));
    this.topics[Number(message_id) - FIRST_TOPIC - 1] = channel;
  }
}

/** States of a token. */
export const TOKEN_STATES = ['valid', 'expired', 'unknown', 'no_rights'] as const;
type TokenState = (typeof TOKEN_STATES)[number];

/**
 * Authenticates callers. If an application's secret is known, the signature must match (104); otherwise it only needs
 * to have the right format. Any token is valid unless a control changes its state.
 */
export class Applications {
  private readonly secrets = new Map<string, string>();
  private readonly tokens = new Map<string, TokenState>();

  addApplication(applicationKey: string, secret: string): void {
    this.secrets.set(applicationKey, secret);
  }

  setToken(token: string, state: TokenState): void {
    this.tokens.set(token, state);
  }

  /** Checks a caller's application, signature and token. @throws ApiError 101, 102, 103 or 104 */
  authenticate(parameters: TextParameters): void {
    const { application_key = '', access_token = '', sig = '' } = parameters;
    if (application_key === '') throw new ApiError(101, 'PARAM_API_KEY : Application not exist');
    if (access_token === '') throw new ApiError(103, 'PARAM_SESSION_KEY : Invalid session key');
    const secret = this.secrets.get(application_key);
    const isSignatureValid =
      secret === undefined ? /^[0-9a-f]{32}$/.test(sig) : sig === computeSignature(parameters, secret);
    if (!isSignatureValid) throw new ApiError(104, 'PARAM_SIGNATURE : Invalid signature');
    const state = this.tokens.get(access_token);
    if (state === 'expired') throw new ApiError(102, 'PARAM_SESSION_EXPIRED : Session expired');
    if (state === 'unknown') throw new ApiError(103, 'PARAM_SESSION_KEY : Invalid session key');
  }

  /** True if the token has the rights to publish content. */
  hasRights({ access_token = '' }: TextParameters): boolean {
    return this.tokens.get(access_token) !== 'no_rights';
  }
}

/**
 * Computes the signature: the MD5 of all sorted parameters except token and signature, followed by the MD5 of token and
 * secret (networks.md §1).
 */
const computeSignature = (parameters: TextParameters, secret: string): string => {
  const names = Object.keys(parameters)
    .filter((name) => name !== 'access_token' && name !== 'sig')
    .sort();
  const joined = names.map((name) => `${name}=${parameters[name]}`).join('');
  return md5(joined + md5(`${parameters['access_token']}${secret}`));
};

const md5 = (text: string): string => hash('md5', text);

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

/** Handles `url.getInfo`: what a link leads to. */
export const getUrlInfo = (groups: Groups, { url = '' }: TextParameters): object => {
  const name = /^https:\/\/ok\.ru\/([\w.-]+)$/.exec(url)?.[1];
  if (name === undefined) throw badParameter('url is invalid');
  const id = groups.idByName(name);
  return id === undefined ? { type: 'UNKNOWN' } : { type: 'GROUP', objectId: Number(id) };
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
