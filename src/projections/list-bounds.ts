/**
 * Bytes after which a page of a list ends, although it may hold more items: an answer is built in memory, and while it is written
 * nothing else runs.
 */
export const PAGE_BYTES = 4_000_000;

/** Bytes of a value that a client has sent, up to which a list shows it. The single item shows it whole. */
export const SHOWN_BYTES = 65_536;

/**
 * Returns SQL that ends a list at {@link PAGE_BYTES}: the tables `listed` (all rows that were asked for) and `shown`. A first row is
 * always shown.
 * @param select statement of the rows, with a column `bytes`: about what each adds to the answer
 * @param order as in the statement, such as `post_id desc`
 */
export const boundedList = (select: string, order: string): string => `
  with listed as (${select}),
  summed as (select l.*, coalesce(sum(l.bytes) over (order by l.${order} rows between unbounded preceding and 1 preceding), 0)
               as bytes_before from listed l),
  shown as (select * from summed where bytes_before < ${PAGE_BYTES})`;

/** SQL: whether the list was cut. */
export const IS_CUT = '(select count(*) from listed) > (select count(*) from shown) as is_cut';
