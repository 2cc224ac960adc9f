/** A part of a list. */
export interface PartOfList<Row> {
  readonly rows: readonly Row[];
  /** True if the part was cut because of its size: more items may follow, although there are fewer than requested. */
  readonly isCut: boolean;
}
