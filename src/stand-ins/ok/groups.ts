import type { LedgerEntry } from '../kit/ledger.js';
import type { ApiError } from './api-error.js';

/** A group with a name from the start. */
export interface KnownGroup {
  readonly id: string;
  readonly title: string;
}

/** A group and the error of posting there. */
export interface Group {
  readonly id: string;
  title: string;
  /** Error of posting, set by a control; null for none. */
  postingError: ApiError | null;
}

/** Topics of all groups share one sequence of numbers. */
const FIRST_TOPIC = 154_000_000_000_000;

/** Every group exists until a control says otherwise. */
export class Groups {
  private readonly byId = new Map<string, Group>();
  private lastTopic = FIRST_TOPIC;
  /** UTF-16 code units of a topic's text, at most (error 601). */
  textLimit = 16_000;

  constructor(known: readonly KnownGroup[] = []) {
    for (const { id, title } of known) this.getOrCreate(id).title = title;
  }

  getOrCreate(id: string): Group {
    const known = this.byId.get(id);
    if (known) return known;
    const group: Group = { id, title: `Group ${id}`, postingError: null };
    this.byId.set(id, group);
    return group;
  }

  nextTopicId(): string {
    return String(++this.lastTopic);
  }

  /** Continues the numbering after a ledger's entry. */
  restore({ message_id }: LedgerEntry): void {
    this.lastTopic = Math.max(this.lastTopic, Number(message_id));
  }
}
