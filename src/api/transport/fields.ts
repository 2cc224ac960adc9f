import type { FastifyRequest } from 'fastify';
import { type Instant, iso } from '../../kernel/clock.js';
import type { IdPrefix, PartOfList } from '../../kernel/ids.js';
import { type BodyClass, checkFields, fieldNamesOf, readFields, type Sent } from '../../validation/check-fields.js';
import { FIELD_MESSAGES } from '../../validation/messages.js';
import { ProblemList } from '../../validation/problem-list.js';
import { Must } from '../../validation/rules.js';
import type { FieldProblem } from '../../validation/wording.js';
import { HttpProblem } from './problem.view.js';

/**
 * Converts a JSON object from a request to a typed body, and adds every error to `problems`. A body with problems is
 * discarded.
 */
export type BodyReader<T> = (sent: Sent, problems: ProblemList) => T;

/** Returns a reader for the fields of a class, which reports unknown fields. @param path the object's path */
export const fieldsReader =
  <T extends object>(Body: BodyClass<T>, path = ''): BodyReader<T> =>
  (sent, problems) => {
    const body = readFields(Body, sent);
    const known = fieldNamesOf(Body);
    for (const name of Object.keys(sent)) {
      if (known.includes(name)) continue;
      const predicate =
        known.length > 0 ? FIELD_MESSAGES.unknownField({ fields: known.join(', ') }) : FIELD_MESSAGES.noFields;
      problems.add(422, path === '' ? name : `${path}.${name}`, 'unknown_field', predicate);
    }
    checkFields(body, path, problems);
    return body;
  };

/** Reads and checks the query of a request's URL. @param code the problem's code @throws HttpProblem 422 */
export const readQuery = <T extends object>(request: FastifyRequest, Body: BodyClass<T>, code = 'invalid'): T => {
  const problems = new ProblemList();
  const query = fieldsReader(Body)(request.query as Sent, problems);
  if (!problems.isEmpty) throw new HttpProblem(422, code, problems.refused().problems);
  return query;
};

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

const limitComplaint = (value: unknown): FieldProblem | undefined =>
  typeof value === 'string' && /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT
    ? undefined
    : { code: 'out_of_range', predicate: FIELD_MESSAGES.badLimit({ limit: MAX_LIMIT }) };

/** Checks that `limit` is an integer from 1 to 200. */
export const isLimit = (): PropertyDecorator =>
  Must.beAllowedBy(limitComplaint, { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT });

/** Converts a checked `limit`. */
export const toLimit = (limit: string | undefined): number => (limit === undefined ? DEFAULT_LIMIT : Number(limit));

/** Formats of the sort keys in cursors. Resources are sorted by their ids. */
const KEYS = {
  sequence: /^\d{1,15}$/,
  /** Position of an event. */
  position: /^\d{1,18}$/,
  /** Time, position and index of a log entry. */
  logEntry: /^\d{1,15}\/\d{1,18}\/\d{1,6}$/,
  /** Time and id of an uploaded file. */
  media: /^\d{1,15}\/med_[0-9a-f]{32}$/,
  /** Time and id of a post in a calendar. */
  calendar: /^\d{0,15}\/post_[0-9a-f]{32}$/,
} as const;

/** Checks that a cursor belongs to a list sorted by keys in these formats, or by ids with these prefixes. */
export const isCursorOf = (...keys: readonly (keyof typeof KEYS | IdPrefix)[]): PropertyDecorator => {
  const forms = keys.map((key) => (key in KEYS ? KEYS[key as keyof typeof KEYS] : new RegExp(`^${key}_[0-9a-f]{32}$`)));
  return Must.beAllowedBy((value): FieldProblem | undefined =>
    typeof value === 'string' &&
    forms.some((form) => form.test(decodeCursor(value))) &&
    encodeCursor(decodeCursor(value)) === value
      ? undefined
      : { code: 'bad_cursor', predicate: FIELD_MESSAGES.badCursor },
  );
};

/** Query parameters of a list (management-api.md: Manners). Subclasses declare their cursor format. */
export class PageQuery {
  @isLimit()
  readonly limit: string | undefined;

  readonly cursor: string | undefined;
}

/** The page of a list to return. */
export interface Page {
  /** Key of the previous page's last item; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Decodes the cursor of a checked query. */
export const toPage = ({ limit, cursor }: PageQuery): Page => ({
  after: cursor === undefined ? null : decodeCursor(cursor),
  limit: toLimit(limit),
});

const decodeCursor = (cursor: string): string => Buffer.from(cursor, 'base64url').toString('latin1');

/** Encodes the key of a page's last item. */
export const encodeCursor = (key: string): string => Buffer.from(key, 'latin1').toString('base64url');

/** One page of a list (management-api.md: Manners). */
export class ListView<V> {
  constructor(
    readonly items: readonly V[],
    /** Cursor of the next page; null on the last page. */
    readonly next: string | null,
  ) {}
}

/** One page of a list of what can be archived (D-101). */
export class ArchivedListView<V> extends ListView<V> {
  /** ISO 8601; only on the last page, if what is older is archived: it is still found by its id. */
  readonly archived_before?: string;

  constructor(items: readonly V[], next: string | null, archivedBefore: Instant | undefined) {
    super(items, next);
    if (archivedBefore !== undefined) this.archived_before = iso(archivedBefore);
  }
}

/**
 * Builds one page of a list.
 * @param found the page's rows, plus one row if there are more; or a partial list that was cut short because it was too
 * large
 */
export const buildListView = async <Row, V>(
  found: readonly Row[] | PartOfList<Row>,
  { limit }: Page,
  keyOf: (row: Row) => string,
  show: (rows: readonly Row[]) => readonly V[] | Promise<readonly V[]>,
): Promise<ArchivedListView<V>> => {
  const { rows, isCut, end, archivedBefore }: PartOfList<Row> =
    'isCut' in found ? found : { rows: found, isCut: false };
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const key = end ?? (last !== undefined && (isCut || rows.length > limit) ? keyOf(last) : undefined);
  const next = key === undefined ? null : encodeCursor(key);
  return new ArchivedListView(await show(shown), next, archivedBefore);
};
