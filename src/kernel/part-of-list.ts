/** A part of a list. */
export interface PartOfList<Row> {
  readonly rows: readonly Row[];
  /**
   * True if it ended because it would have been too large: more may follow although it holds fewer items than
   * requested.
   */
  readonly isCut: boolean;
}
