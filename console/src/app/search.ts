/** Returns the listed query parameters that are not empty. Numbers become strings. */
export const readText = <K extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly K[],
): { readonly [N in K]?: string } => {
  const read: { [N in K]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') read[name] = value;
    if (typeof value === 'number') read[name] = String(value);
  }
  return read;
};
