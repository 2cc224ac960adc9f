/** How one event type is versioned: today's version, and how data of version n becomes that of n + 1. */
export interface EventSchema {
  readonly version: number;
  readonly upcasters?: Readonly<Record<number, (data: never) => unknown>>;
}

/** Every event type of an aggregate, or of all of them. A type that is missing here cannot be written or read. */
export type Catalogue = Readonly<Record<string, EventSchema>>;
