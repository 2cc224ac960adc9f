import { nullToAbsent } from './absence.js';

/** A JSON object as it was sent, unchecked. */
export type Sent = Readonly<Record<string, unknown>>;

/**
 * A class of a body, query or part: its properties are the fields that may be sent, with their rules (`Must`). It has a
 * constructor without parameters and no other code.
 */
export type BodyClass<T extends object> = new () => T;

type Reading = (sent: unknown) => unknown;

/** Custom readers of fields, by prototype and field name. */
const readings = new WeakMap<object, Map<string, Reading>>();

/**
 * Sets how a field is read; for example, an empty string can count as absent (absence.ts). Without this decorator, null
 * counts as absent.
 * @param read receives the sent value, or undefined if there is none; returns undefined for an absent field
 */
export const ReadAs =
  (read: Reading): PropertyDecorator =>
  (target, property) => {
    const fields = readings.get(target) ?? new Map<string, Reading>();
    fields.set(String(property), read);
    readings.set(target, fields);
  };

const readingOf = (prototype: object | null, name: string): Reading => {
  if (prototype === null) return nullToAbsent;
  return readings.get(prototype)?.get(name) ?? readingOf(Object.getPrototypeOf(prototype) as object | null, name);
};

/** The fields of each class, collected once. */
const fieldsOfClasses = new WeakMap<BodyClass<object>, readonly (readonly [name: string, read: Reading])[]>();

const fieldsOf = (Body: BodyClass<object>): readonly (readonly [name: string, read: Reading])[] => {
  const known = fieldsOfClasses.get(Body);
  if (known) return known;
  const fields = Object.keys(new Body()).map((name) => [name, readingOf(Body.prototype as object, name)] as const);
  fieldsOfClasses.set(Body, fields);
  return fields;
};

/**
 * Builds a body from parsed JSON without checking it. An absent field keeps its default from the class; unknown fields
 * are ignored.
 */
export const readFields = <T extends object>(Body: BodyClass<T>, sent: Sent): T => {
  const body = new Body() as Record<string, unknown>;
  for (const [name, read] of fieldsOf(Body)) {
    const value = read(sent[name]);
    if (value !== undefined) body[name] = value;
  }
  return body as T;
};

/** Returns the names of the fields that a class allows, in the order of their declaration. */
export const fieldNamesOf = (Body: BodyClass<object>): readonly string[] => fieldsOf(Body).map(([name]) => name);
