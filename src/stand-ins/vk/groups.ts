import type { LedgerEntry } from '../kit/ledger.js';
import { Refusal } from './refusal.js';

/** A community that a stand-in knows by name from the beginning. */
export interface KnownGroup {
  /** Its number, without a minus. */
  readonly id: string;
  readonly title: string;
}

/** A post under a guid, for an hour. */
interface Guid {
  readonly postId: number;
  readonly at: number;
}

/** A community and its wall. */
export interface Group {
  readonly id: string;
  title: string;
  /** Posts of the wall so far; the newest one's id. */
  lastPostId: number;
  /** The error that posting meets, by a control: 15, 203, 214 …; null for none. */
  refusal: Refusal | null;
  /** Posts taken in a day; null for no limit. */
  dailyLimit: number | null;
  readonly postedAt: number[];
  readonly guids: Map<string, Guid>;
}

const HOUR = 3_600_000;

/** Every community exists until a control says otherwise. */
export class Groups {
  private readonly byId = new Map<string, Group>();

  constructor(known: readonly KnownGroup[] = []) {
    for (const { id, title } of known) this.find(id).title = title;
  }

  find(id: string): Group {
    const known = this.byId.get(id);
    if (known) return known;
    const group: Group = {
      ...{ id, title: `Community ${id}`, lastPostId: 0, refusal: null, dailyLimit: null },
      ...{ postedAt: [], guids: new Map<string, Guid>() },
    };
    this.byId.set(id, group);
    return group;
  }

  /** Goes on numbering where a ledger's entry left off. */
  restore({ channel, message_id }: LedgerEntry): void {
    const group = this.find(channel);
    group.lastPostId = Math.max(group.lastPostId, Number(message_id));
  }
}

/** The post that this guid has made within the hour; null where it is new. */
export const postOfGuid = ({ guids }: Group, guid: string, now: number): number | null => {
  for (const [old, { at }] of guids) {
    if (at > now - HOUR) break;
    guids.delete(old);
  }
  return guids.get(guid)?.postId ?? null;
};

/** Counts a post of a day; {@link Refusal} 214 where there were enough. */
export const takeDaily = (group: Group, now: number): void => {
  const { dailyLimit, postedAt } = group;
  if (dailyLimit === null) return;
  while ((postedAt[0] ?? now) < now - 24 * HOUR) postedAt.shift();
  if (postedAt.length >= dailyLimit) {
    throw new Refusal(214, `Access to adding post denied: you can only add ${dailyLimit} posts a day`);
  }
  postedAt.push(now);
};
