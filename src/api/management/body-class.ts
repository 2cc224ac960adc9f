import { type BodyClass, ReadAs } from '../../validation/read-fields.js';

/** A body field that is only known at run time. */
export interface BodyField {
  /** Converts the received value before it is validated. */
  readonly read: (sent: unknown) => unknown;
  /** Applied in this order. (Among decorators, the one nearest to the field is applied first.) */
  readonly rules: readonly PropertyDecorator[];
}

/**
 * Creates a body class whose fields are only known at run time; it behaves like a class with decorated fields. Create
 * each class once: class-validator keeps the rules of every class for the life of the process.
 */
export const createBodyClass = <Field>(
  fields: Readonly<Record<string, Field>>,
  toBodyField: (field: Field) => BodyField,
): BodyClass<Readonly<Record<string, unknown>>> => {
  class Body {
    readonly [name: string]: unknown;

    constructor() {
      for (const name of Object.keys(fields)) Object.assign(this, { [name]: undefined });
    }
  }
  for (const [name, field] of Object.entries(fields)) {
    const { read, rules } = toBodyField(field);
    for (const apply of [ReadAs(read), ...rules]) apply(Body.prototype, name);
  }
  return Body;
};
