/**
 * Size, in bytes, at which a list page is cut off, even if it has fewer items than requested: the response is built in
 * memory, and writing it blocks the event loop.
 */
export const PAGE_BYTES = 4_000_000;

/**
 * Maximum size in bytes of a client-supplied value in a list. The response for a single item includes the full value.
 */
export const SHOWN_BYTES = 65_536;

/**
 * Returns SQL that ends a list at {@link PAGE_BYTES}, with the tables `listed` (all requested rows) and `shown`. The
 * first row is always shown.
 * @param select statement that selects the rows, with a column `bytes`: the approximate size that each row adds to the
 * response
 * @param order sort order of the statement, such as `post_id desc`
 */
export const boundedList = (select: string, order: string): string => `
  with listed as (${select}),
  summed as (select l.*, coalesce(sum(l.bytes) over (order by l.${order} rows between unbounded preceding and 1 preceding), 0)
               as bytes_before from listed l),
  shown as (select * from summed where bytes_before < ${PAGE_BYTES})`;

/** SQL: whether the list was cut. */
export const IS_CUT = '(select count(*) from listed) > (select count(*) from shown) as is_cut';
