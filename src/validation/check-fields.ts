import { validateSync } from 'class-validator';
import { passesRules } from './compiled-rules.js';
import type { ProblemList, RefusalStatus } from './problem-list.js';
import { type BodyClass, readFields, type Sent } from './read-fields.js';
import type { RuleContext } from './rules.js';
import { wrongTypePredicate } from './wording.js';

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

/** Returns true if a value is a JSON object; otherwise adds a problem. */
export const checkObject = (value: unknown, path: string, problems: ProblemList): value is Sent => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return true;
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
