import type { LedgerEntry } from '../kit/ledger.js';
import type { Refusal } from './refusal.js';

/** A group that a stand-in knows by name from the beginning. */
export interface KnownGroup {
  readonly id: string;
  readonly title: string;
}

/** A group and what posting there meets. */
export interface Group {
  readonly id: string;
  title: string;
  /** By a control; null for none. */
  refusal: Refusal | null;
}

/** Topics of all groups share one row of numbers. */
const FIRST_TOPIC = 154_000_000_000_000;

/** Every group exists until a control says otherwise. */
export class Groups {
  private readonly byId = new Map<string, Group>();
  private lastTopic = FIRST_TOPIC;
  /** Characters of a topic's text, in UTF-16 units (error 601). */
  textLimit = 16_000;

  constructor(known: readonly KnownGroup[] = []) {
    for (const { id, title } of known) this.find(id).title = title;
  }

  find(id: string): Group {
    const known = this.byId.get(id);
    if (known) return known;
    const group: Group = { id, title: `Group ${id}`, refusal: null };
    this.byId.set(id, group);
    return group;
  }

  nextTopicId(): string {
    return String(++this.lastTopic);
  }

  /** Goes on numbering where a ledger's entry left off. */
  restore({ message_id }: LedgerEntry): void {
    this.lastTopic = Math.max(this.lastTopic, Number(message_id));
  }
}
