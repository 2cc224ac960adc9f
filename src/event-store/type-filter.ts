/** Filters the log by event type. At most one of the two members is set; if neither is, all events are selected. */
export interface TypeFilter {
  /** Only events of these types. */
  readonly types?: readonly string[];
  /** All events except events of these types. */
  readonly except?: readonly string[];
}

/** Returns a function that is true for the types that a filter selects. */
export const createTypeMatcher = ({ types, except }: TypeFilter): ((type: string) => boolean) => {
  if (types) {
    const wanted = new Set(types);
    return (type) => wanted.has(type);
  }
  const unwanted = new Set(except);
  return (type) => !unwanted.has(type);
};

/** Returns a filter that selects every type selected by either of two filters. */
export const mergeFilters = (one: TypeFilter, other: TypeFilter): TypeFilter => {
  if (one.types && other.types) return { types: [...new Set([...one.types, ...other.types])] };
  const isWanted = [createTypeMatcher(one), createTypeMatcher(other)];
  const except = [one, other]
    .flatMap((filter) => filter.except ?? [])
    .filter((type) => isWanted.every((wanted) => !wanted(type)));
  return { except: [...new Set(except)] };
};

/** True if `one` selects every type that `other` selects. */
export const coversFilter = (one: TypeFilter, other: TypeFilter): boolean => {
  if (other.types) return other.types.every(createTypeMatcher(one));
  return !one.types && (one.except ?? []).every((type) => !createTypeMatcher(other)(type));
};
