import { validateSync } from 'class-validator';
import { ProblemList, type RefusalStatus, type Refused } from './problem-list.js';
import { passesRules, type RuleContext } from './rules.js';
import { wrongTypePredicate } from './wording.js';

/** Returns the value unchanged, for fields where null is a value. */
export const asSent = (value: unknown): unknown => value;

/** Returns the value, or undefined for null, which counts as absent by default (D-43). */
export const nullToAbsent = (value: unknown): unknown => value ?? undefined;

/** Returns the value, or undefined for null and the empty string, for fields where both count as absent (D-43). */
export const emptyTextToAbsent = (value: unknown): unknown => (value === '' ? undefined : nullToAbsent(value));

/** Returns the value, or undefined for null and the empty array, for fields where both count as absent (D-43). */
export const emptyListToAbsent = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 0 ? undefined : nullToAbsent(value);

/** Returns the value, or undefined for null and for rows without any items, which count as absent (D-43). */
export const emptyRowsToAbsent = (value: unknown): unknown =>
  Array.isArray(value) && value.every((row) => Array.isArray(row) && row.length === 0)
    ? undefined
    : nullToAbsent(value);

/** Returns a numeric id as text. Leaves an unsafe integer to the field's rule; null counts as absent. */
export const idText = (value: unknown): unknown => (Number.isSafeInteger(value) ? String(value) : nullToAbsent(value));

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
 * Sets how a field is read; for example, an empty string can count as absent (check-fields.ts). Without this decorator, null
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

/** HTTP status for a body that breaks a rule (D-5). */
const SCHEMA: RefusalStatus = 422;

/** One object in a list, and the result of checking its rules. */
export interface CheckedItem<Dto> {
  readonly dto: Dto;
  readonly index: number;
  /** `media[2]`. */
  readonly path: string;
  /** Names of the fields that broke a rule. */
  readonly wrong: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** True for a JSON object. */
export const isObject = (value: unknown): value is Sent =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns true if a value is a JSON object; otherwise adds a problem. */
export const checkObject = (value: unknown, path: string, problems: ProblemList): value is Sent => {
  if (isObject(value)) return true;
  problems.add(SCHEMA, path, 'wrong_type', wrongTypePredicate('an object', value));
  return false;
};

/**
 * Checks the fields of one object against the rules of its class, and adds one problem per field that breaks a rule.
 * @param path path of the object: `media[2]`; empty for the body itself
 * @returns the names of the fields that broke a rule
 */
export const checkFields = (dto: object, path: string, problems: ProblemList): ReadonlySet<string> => {
  if (passesRules(dto)) return NONE;
  const errors = validateSync(dto, {
    skipMissingProperties: true,
    stopAtFirstError: true,
    validationError: { target: false },
  });
  if (errors.length === 0) return NONE;
  for (const { property, value, contexts } of errors)
    for (const { findProblem } of Object.values(contexts ?? {}) as RuleContext[]) {
      const { code, predicate } = findProblem(value);
      problems.add(SCHEMA, path === '' ? property : `${path}.${property}`, code, predicate);
    }
  return new Set(errors.map(({ property }) => property));
};

/**
 * Checks a body against the rules of its class.
 * @param convert returns the result for a body without problems, and may add problems
 */
export const validateBody = <Dto extends object, Result extends object>(
  DtoClass: BodyClass<Dto>,
  value: unknown,
  convert: (dto: Dto, problems: ProblemList, sent: Sent) => Result,
): ({ readonly ok: true } & Result) | Refused => {
  const problems = new ProblemList();
  if (!checkObject(value, '', problems)) return problems.refused();
  const dto = readFields(DtoClass, value);
  checkFields(dto, '', problems);
  const result = convert(dto, problems, value);
  return problems.isEmpty ? { ok: true, ...result } : problems.refused();
};

/**
 * Checks the objects in a list one by one, and stops once further problems could not change the response.
 * @param list any value; a value that is not an array has already been reported and counts as empty
 * @param limit maximum number of items to check; the caller must report a longer list
 * @returns the items that are objects
 */
export const checkEach = <Dto extends object>(
  DtoClass: BodyClass<Dto>,
  list: unknown,
  path: string,
  problems: ProblemList,
  limit = Infinity,
): CheckedItem<Dto>[] => {
  if (!Array.isArray(list)) return [];
  const items: CheckedItem<Dto>[] = [];
  for (let index = 0; index < list.length && index < limit && !problems.isFull; index++) {
    const value = list[index] as unknown;
    const itemPath = `${path}[${index}]`;
    if (!checkObject(value, itemPath, problems)) continue;
    const dto = readFields(DtoClass, value);
    items.push({ dto, index, path: itemPath, wrong: checkFields(dto, itemPath, problems) });
  }
  return items;
};
