import { getMetadataStorage } from 'class-validator';
import type { RuleContext } from './rules.js';
import type { Sent } from './check-fields.js';

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A class of a body, query or part, whose constructor reads parsed JSON. */
export type SentClass = new (sent: Sent) => object;

/** Marks a required field in annotations; no keyword of a schema. */
const REQUIRED = 'x-required';

type Part = () => SentClass | JsonSchema;

const isClass = (part: SentClass | JsonSchema): part is SentClass => typeof part === 'function';

/** Keywords that no rule gives, by the prototype and name of the field. */
const annotations = new WeakMap<object, Map<string, () => JsonSchema>>();

const annotate =
  (read: () => JsonSchema): PropertyDecorator =>
  (target, property) => {
    const fields = annotations.get(target) ?? new Map<string, () => JsonSchema>();
    const before = fields.get(String(property));
    fields.set(String(property), () => ({ ...before?.(), ...read() }));
    annotations.set(target, fields);
  };

const toSchema = (part: SentClass | JsonSchema): JsonSchema => (isClass(part) ? schemaOf(part) : part);

/**
 * Decorators that describe fields whose content other code checks: the elements of a list, a nested object. They check
 * nothing. Parts are functions, because a class may be declared after the one that uses it.
 */
export const Schema = {
  /** The elements of an array. */
  items: (part: Part): PropertyDecorator => annotate(() => ({ items: toSchema(part()) })),
  /** A nested object, or keywords that complete those of the rules. */
  is: (part: Part): PropertyDecorator => annotate(() => toSchema(part())),
  /** The field must be sent, as other code checks. */
  required: (): PropertyDecorator => annotate(() => ({ [REQUIRED]: true })),
} as const;

/** Returns the annotations of a class, those of its base classes included. */
const annotationsOf = (prototype: object): ReadonlyMap<string, () => JsonSchema> => {
  const parent = Object.getPrototypeOf(prototype) as object | null;
  const inherited = parent ? annotationsOf(parent) : [];
  return new Map([...inherited, ...(annotations.get(prototype) ?? [])]);
};

/**
 * Returns the schema of a body, query or part: its fields with the keywords of their rules (`Must`, `Is`), so that the
 * documentation says what is checked. `x-class` names the class.
 */
export const schemaOf = (Class: SentClass): JsonSchema => {
  const properties: Record<string, JsonSchema> = {};
  const required = new Set<string>();
  const annotated = annotationsOf(Class.prototype as object);
  for (const name of Object.keys(new Class({}))) properties[name] = {};
  // Read through the storage, as compiled-rules.ts does: class-validator offers no other access to rules.
  for (const { propertyName, context, validateIf } of getMetadataStorage().getTargetValidationMetadatas(
    Class,
    '',
    false,
    false,
  )) {
    const { schema, isPresence } = (context ?? {}) as Partial<RuleContext>;
    if (isPresence && !validateIf) required.add(propertyName);
    properties[propertyName] = { ...schema, ...properties[propertyName] };
  }
  for (const [name, read] of annotated) {
    const { [REQUIRED]: isRequired, ...schema } = read();
    if (isRequired) required.add(name);
    properties[name] = { ...properties[name], ...schema };
  }
  return {
    type: 'object',
    properties,
    ...(required.size > 0 && { required: [...required] }),
    'x-class': Class.name,
  };
};
