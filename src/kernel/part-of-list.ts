/** A part of a list. */
export interface PartOfList<Row> {
  readonly rows: readonly Row[];
  /**
   * True if the part was cut short because of its size: more items may follow, even though it has fewer than requested.
   */
  readonly isCut: boolean;
}
