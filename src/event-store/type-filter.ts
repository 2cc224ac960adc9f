/** Which events of the log somebody wants, by their types; at most one of the two is given. */
export interface TypeFilter {
  /** Only events of these types. */
  readonly types?: readonly string[];
  /** All but events of these types. */
  readonly except?: readonly string[];
}

/** Whether an event of a type is wanted. */
export const wants = ({ types, except }: TypeFilter): ((type: string) => boolean) => {
  if (types) {
    const wanted = new Set(types);
    return (type) => wanted.has(type);
  }
  const unwanted = new Set(except);
  return (type) => !unwanted.has(type);
};

/** What one of two wants. */
export const either = (one: TypeFilter, other: TypeFilter): TypeFilter => {
  if (one.types && other.types) return { types: [...new Set([...one.types, ...other.types])] };
  const isWanted = [wants(one), wants(other)];
  const except = [one, other]
    .flatMap((filter) => filter.except ?? [])
    .filter((type) => isWanted.every((wanted) => !wanted(type)));
  return { except: [...new Set(except)] };
};

/** Whether all that `other` wants is wanted by `one`, too. */
export const covers = (one: TypeFilter, other: TypeFilter): boolean => {
  if (other.types) return other.types.every(wants(one));
  return !one.types && (one.except ?? []).every((type) => !wants(other)(type));
};
