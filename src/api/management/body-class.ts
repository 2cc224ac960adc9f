import type { Sent } from '../../validation/check-fields.js';
import type { BodyClass } from './request-body.js';

/** A field of a body that is known only at run time. */
export interface BodyField {
  /** Converts what was sent before it is checked. */
  readonly read: (sent: unknown) => unknown;
  /** The first is checked first, like the decorator that is nearest to a declared field. */
  readonly rules: readonly PropertyDecorator[];
}

/**
 * Creates the class of a body whose fields are known only at run time. It behaves like a class with decorated fields.
 * Create each class once: class-validator keeps the rules of every class for the life of the process.
 */
export const createBodyClass = (
  fields: Readonly<Record<string, BodyField>>,
): BodyClass<Readonly<Record<string, unknown>>> => {
  class Body {
    readonly [name: string]: unknown;

    constructor(sent: Sent) {
      const read = Object.entries(fields).map(([name, field]) => [name, field.read(sent[name])] as const);
      Object.assign(this, Object.fromEntries(read));
    }
  }
  for (const [name, { rules }] of Object.entries(fields)) for (const apply of rules) apply(Body.prototype, name);
  return Body;
};
