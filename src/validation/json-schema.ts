import { getMetadataStorage } from 'class-validator';
import { type BodyClass, fieldNamesOf } from './check-fields.js';
import type { RuleContext } from './rules.js';

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Marks a required field in annotations; not a JSON Schema keyword. */
const REQUIRED = 'x-required';

type Part = () => BodyClass<object> | JsonSchema;

const isClass = (part: BodyClass<object> | JsonSchema): part is BodyClass<object> => typeof part === 'function';

/** Keywords that no rule provides, by prototype and field name. */
const annotations = new WeakMap<object, Map<string, () => JsonSchema>>();

const annotate =
  (read: () => JsonSchema): PropertyDecorator =>
  (target, property) => {
    const fields = annotations.get(target) ?? new Map<string, () => JsonSchema>();
    const before = fields.get(String(property));
    fields.set(String(property), () => ({ ...before?.(), ...read() }));
    annotations.set(target, fields);
  };

const toSchema = (part: BodyClass<object> | JsonSchema): JsonSchema => (isClass(part) ? schemaOf(part) : part);

/**
 * Decorators that only describe fields whose content other code checks, such as the elements of a list or a nested
 * object. Parts are functions, because a class may be declared after it is used.
 */
export const Schema = {
  /** The elements of an array. */
  items: (part: Part): PropertyDecorator => annotate(() => ({ items: toSchema(part()) })),
  /** A nested object, or keywords in addition to the rules' own. */
  is: (part: Part): PropertyDecorator => annotate(() => toSchema(part())),
  /** The field is required; other code checks that. */
  required: (): PropertyDecorator => annotate(() => ({ [REQUIRED]: true })),
} as const;

/** Returns the annotations of a class and its base classes. */
const annotationsOf = (prototype: object): ReadonlyMap<string, () => JsonSchema> => {
  const parent = Object.getPrototypeOf(prototype) as object | null;
  const inherited = parent ? annotationsOf(parent) : [];
  return new Map([...inherited, ...(annotations.get(prototype) ?? [])]);
};

/**
 * Returns the schema of a body, query or part: its fields with the keywords of their rules (`Must`), so that the
 * documentation matches the checks. `x-class` names the class.
 */
export const schemaOf = (Class: BodyClass<object>): JsonSchema => {
  const properties: Record<string, JsonSchema> = {};
  const required = new Set<string>();
  for (const name of fieldNamesOf(Class)) properties[name] = {};
  // Reads the metadata storage, as rules.ts does, because class-validator offers no other access to rules.
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
  for (const [name, read] of annotationsOf(Class.prototype as object)) {
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
