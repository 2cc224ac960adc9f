/** A field of a payload that has a place on the screen. */
export interface PayloadField {
  /** `text`, `media`, `buttons` …; that of entities is the text. */
  readonly name: string;
  /** Place in a list, from 0; null for other fields. */
  readonly index: number | null;
  /** Place in a list inside the list, such as a button's in its row; null for other fields. */
  readonly place: number | null;
}

/** Reads the path of a problem: `media[0].url`, `buttons[1][0].text`, `entities[2]`. */
export const fieldOf = (path: string): PayloadField => {
  const [, name = '', index, place] = /^(\w*)(?:\[(\d+)\])?(?:\[(\d+)\])?/.exec(path) ?? [];
  if (name === 'entities') return { name: 'text', index: null, place: null };
  const number = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));
  return { name, index: number(index), place: number(place) };
};

/** Moves the focus to the field of a problem; without one on the screen, to the text. */
export const showField = (path: string): void => {
  const { name } = fieldOf(path);
  const exact = /^\w+(?:\[\d+\])+/.exec(path)?.[0] ?? name;
  const field =
    document.querySelector<HTMLElement>(`[data-field="${CSS.escape(exact)}"]`) ??
    document.querySelector<HTMLElement>(`[data-field^="${CSS.escape(name)}"]`) ??
    document.querySelector<HTMLElement>('[data-field="text"]');
  field?.focus();
  field?.scrollIntoView({ block: 'nearest' });
};
