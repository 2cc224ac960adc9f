/**
 * Versions of one event type: the current version, and the upcasters that turn data of version n into version n + 1.
 */
export interface EventSchema {
  readonly version: number;
  readonly upcasters?: Readonly<Record<number, (data: never) => unknown>>;
}

/** Event types of one aggregate, or of all aggregates. A type that is not listed cannot be written or read. */
export type Catalogue = Readonly<Record<string, EventSchema>>;
