import { readString, readWholeNumber } from './control.js';
import type { LedgerEntry } from './ledger-entry.js';
import type { ControlFields } from './network.js';

/** What readers did with a message. */
export interface Counts {
  readonly views: number;
  readonly likes: number;
  readonly comments: number;
  readonly shares: number;
}

const NAMES = ['views', 'likes', 'comments', 'shares'] as const;
/** Minutes after which half of all readers have seen a message. */
const HALF_MINUTES = 240;

/** The numbers of messages, which grow with their age, unless a control has set them. */
export class Statistics {
  private readonly chosen = new Map<string, Partial<Counts>>();

  /** @param minuteMs length of a minute, in ms */
  constructor(private readonly minuteMs = 60_000) {}

  of({ at, channel, message_id }: LedgerEntry): Counts {
    const minutes = Math.max(0, Date.now() - Date.parse(at)) / this.minuteMs;
    const audience =
      200 + [...keyOf(channel, message_id)].reduce((hash, each) => (hash * 31 + each.charCodeAt(0)) % 4_801, 7);
    const views = Math.floor(audience * (1 - 0.5 ** (minutes / HALF_MINUTES)));
    const grown = {
      views,
      likes: Math.floor(views / 25),
      comments: Math.floor(views / 150),
      shares: Math.floor(views / 80),
    };
    return { ...grown, ...this.chosen.get(keyOf(channel, message_id)) };
  }

  /** Sets numbers of a message: `{channel, message_id, views?, likes?, comments?, shares?}`. */
  set(fields: ControlFields): object {
    const key = keyOf(readString(fields, 'channel'), readString(fields, 'message_id'));
    const named = NAMES.filter((name) => fields[name] !== undefined);
    const counts = Object.fromEntries(named.map((name) => [name, readWholeNumber(fields, name, 0)]));
    this.chosen.set(key, { ...this.chosen.get(key), ...counts });
    return counts;
  }
}

const keyOf = (channel: string, messageId: string): string => `${channel} ${messageId}`;
