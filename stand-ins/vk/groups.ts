import type { LedgerEntry } from '../kit/ledger-entry.js';
import { ApiError, badParameter } from './api-error.js';

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
export type KnownGroup = Readonly<Pick<Group, 'id' | 'title'>>;

const HOUR = 3_600_000;

/** Every community exists unless a control changes its state. */
export class Groups {
  private readonly byId = new Map<string, Group>();

  constructor(known: readonly KnownGroup[] = []) {
    for (const { id, title } of known) this.getOrCreate(id).title = title;
  }

  getOrCreate(id: string): Group {
    const known = this.byId.get(id);
    if (known) return known;
    const group: Group = {
      id,
      title: `Community ${id}`,
      state: 'managed',
      lastPostId: 0,
      postingError: null,
      dailyLimit: null,
      postedAt: [],
      guids: new Map(),
      ignoresGuids: false,
    };
    this.byId.set(id, group);
    return group;
  }

  /** Makes the numbering continue after a ledger entry. */
  restore({ channel, message_id }: LedgerEntry): void {
    const group = this.getOrCreate(channel);
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
