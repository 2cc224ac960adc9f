import type { PostButton } from './draft.js';

type Rows = readonly (readonly PostButton[])[];

/** Position of a button: its row and column indexes, from 0. */
export interface ButtonPlace {
  readonly row: number;
  readonly column: number;
}

/** Maximum number of button rows, and of buttons per row. */
export const MAX_ROWS = 8;
export const MAX_IN_ROW = 8;

/** Appends a button to a row, or in a new last row if the row does not exist yet. */
export const addButton = (rows: Rows, button: PostButton, row: number): Rows =>
  row >= rows.length ? [...rows, [button]] : rows.map((each, index) => (index === row ? [...each, button] : each));

/** Removes a button, and its row if that leaves the row empty. */
export const removeButton = (rows: Rows, { row, column }: ButtonPlace): Rows =>
  rows
    .map((each, index) => (index === row ? each.filter((_, place) => place !== column) : each))
    .filter((each) => each.length > 0);

/** Replaces a button, moving it to another row if necessary. */
export const changeButton = (rows: Rows, from: ButtonPlace, button: PostButton, row: number): Rows => {
  if (row === from.row) {
    return rows.map((each, index) =>
      index === row ? each.map((old, column) => (column === from.column ? button : old)) : each,
    );
  }
  // If the button was alone in its row, the row disappears and later rows move up.
  const isAlone = rows[from.row]?.length === 1;
  return addButton(removeButton(rows, from), button, isAlone && row > from.row ? row - 1 : row);
};
