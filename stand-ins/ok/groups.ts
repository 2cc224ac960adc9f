import type { LedgerEntry } from '../kit/ledger-entry.js';
import { ApiError } from './api-error.js';

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
export type KnownGroup = Readonly<Pick<Group, 'id' | 'title'>>;

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
  private lastTopic = FIRST_TOPIC;
  /** Maximum number of UTF-16 units in a topic's text (error 601). */
  textLimit = 16_000;

  constructor(known: readonly KnownGroup[] = []) {
    for (const { id, title } of known) this.getOrCreate(id).title = title;
  }

  getOrCreate(id: string): Group {
    const known = this.byId.get(id);
    if (known) return known;
    const group: Group = { id, title: `Group ${id}`, state: 'moderator', postingError: null };
    this.byId.set(id, group);
    return group;
  }

  nextTopicId(): string {
    return String(++this.lastTopic);
  }

  /** Makes the numbering continue after a ledger entry. */
  restore({ message_id }: LedgerEntry): void {
    this.lastTopic = Math.max(this.lastTopic, Number(message_id));
  }
}
