/** A JSON object of the API. */
export type Thing = Readonly<Record<string, unknown>>;

/** True for a JSON object. */
export const isThing = (value: unknown): value is Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value at a path, such as `candidate.state`; undefined if there is none. */
export const valueAt = (thing: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isThing(value) ? value[name] : undefined), thing);

/** Returns the objects in a list; empty if the value is not a list. */
export const thingsIn = (value: unknown): readonly Thing[] => (Array.isArray(value) ? value.filter(isThing) : []);

/** Formats a value as human-readable text: an absent value as an empty string, objects and lists of objects as JSON. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
};
