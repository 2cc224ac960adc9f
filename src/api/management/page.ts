import type { IdPrefix } from '../../kernel/ids.js';
import type { Sent } from '../../validation/check-fields.js';
import { given } from '../../validation/absence.js';
import type { Complaint } from '../../validation/wording.js';
import { Is } from './rules.js';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

const limitComplaint = (value: unknown): Complaint | undefined =>
  typeof value === 'string' && /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT
    ? undefined
    : { code: 'out_of_range', what: `must be a whole number from 1 to ${MAX_LIMIT}` };

/** What a list's items are found by, as its cursors hold it; those of things are their ids. */
const KEYS = {
  sequence: /^\d{1,15}$/,
  /** Time, position and place of a line in a log. */
  line: /^\d{1,15}\/\d{1,18}\/\d{1,6}$/,
} as const;

/** A cursor of a list with such keys, or of things with such ids: one of another list says nothing here. */
export const cursorOf = (keys: keyof typeof KEYS | IdPrefix): PropertyDecorator => {
  const form = keys in KEYS ? KEYS[keys as keyof typeof KEYS] : new RegExp(`^${keys}_[0-9a-f]{32}$`);
  return Is.fine((value): Complaint | undefined =>
    typeof value === 'string' && form.test(keyIn(value)) && cursorTo(keyIn(value)) === value
      ? undefined
      : { code: 'bad_cursor', what: 'must be what an earlier answer of this list gave as "next"' },
  );
};

/** The query of a list (management-api.md: Manners); each declares the form of its cursor, {@link cursorOf}. */
export class PageQuery {
  @Is.fine(limitComplaint)
  readonly limit: string | undefined;

  readonly cursor: string | undefined;

  constructor(sent: Sent) {
    this.limit = given(sent.limit) as string | undefined;
    this.cursor = given(sent.cursor) as string | undefined;
  }
}

/** Where a list goes on, and how far. */
export interface Page {
  /** The last item's key of the page before; null: from the top. */
  readonly after: string | null;
  readonly limit: number;
}

/** What a checked query asks for. */
export const pageOf = ({ limit, cursor }: PageQuery): Page => ({
  after: cursor === undefined ? null : keyIn(cursor),
  limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
});

const keyIn = (cursor: string): string => Buffer.from(cursor, 'base64url').toString('latin1');

const cursorTo = (key: string): string => Buffer.from(key, 'latin1').toString('base64url');

/** A list's answer. */
export interface ListAnswer {
  readonly items: readonly object[];
  readonly next: string | null;
}

/**
 * One page of a list.
 * @param rows one more than the page holds, where there are more
 */
export const listAnswer = async <Row>(
  rows: readonly Row[],
  { limit }: Page,
  keyOf: (row: Row) => string,
  show: (rows: readonly Row[]) => readonly object[] | Promise<readonly object[]>,
): Promise<ListAnswer> => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: await show(shown),
    next: last !== undefined && rows.length > limit ? cursorTo(keyOf(last)) : null,
  };
};
