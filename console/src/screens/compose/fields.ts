/** A payload field, parsed from a problem's path. */
export interface PayloadField {
  /** `text`, `media`, `buttons` …; problems with entities belong to `text`. */
  readonly name: string;
  /** Index in a list, from 0; null for other fields. */
  readonly index: number | null;
  /** Index in a nested list, such as a button's index in its row; null for other fields. */
  readonly place: number | null;
}

/** Splits a problem path in an override, such as `overrides.vk.text`, into the override's key and the rest. */
export const splitOverride = (path: string): { readonly key: string | null; readonly path: string } => {
  const [, key, rest] = /^overrides\.(\w+)(?:\.(.*))?$/.exec(path) ?? [];
  return key === undefined ? { key: null, path } : { key, path: rest ?? '' };
};

/** Parses a problem path: `media[0].url`, `buttons[1][0].text`, `entities[2]`, `overrides.vk.text`. */
export const fieldOf = (path: string): PayloadField => {
  const [, name = '', index, place] = /^(\w*)(?:\[(\d+)\])?(?:\[(\d+)\])?/.exec(splitOverride(path).path) ?? [];
  if (name === 'entities') return { name: 'text', index: null, place: null };
  const number = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));
  return { name, index: number(index), place: number(place) };
};

/** Focuses the field that has a problem or, if the field is not on the screen, the text. */
export const showField = (path: string): void => {
  const { name } = fieldOf(path);
  const exact = /^\w+(?:\[\d+\])+/.exec(splitOverride(path).path)?.[0] ?? name;
  const field =
    document.querySelector<HTMLElement>(`[data-field="${CSS.escape(exact)}"]`) ??
    document.querySelector<HTMLElement>(`[data-field^="${CSS.escape(name)}"]`) ??
    document.querySelector<HTMLElement>('[data-field="text"]');
  field?.focus();
  field?.scrollIntoView({ block: 'nearest' });
};
