import { validateSync } from 'class-validator';
import { passesRules } from './compiled-rules.js';
import type { ProblemList, RefusalStatus } from './problem-list.js';
import type { RuleContext } from './rules.js';
import { described } from './wording.js';

/** Rules break the schema (D-5). */
const SCHEMA: RefusalStatus = 422;

/** An object as it was sent, before anything about it is known. */
export type Sent = Readonly<Record<string, unknown>>;

/** One object of a list, with what its rules said. */
export interface CheckedItem<Dto> {
  readonly dto: Dto;
  readonly index: number;
  /** `media[2]`. */
  readonly path: string;
  /** Names of the fields that are wrong. */
  readonly wrong: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** Whether a value is a JSON object; adds a problem where it is not. */
export const checkObject = (value: unknown, path: string, problems: ProblemList): value is Sent => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return true;
  problems.add(SCHEMA, path, 'wrong_type', `must be an object, not ${described(value)}`);
  return false;
};

/**
 * Checks the fields of one object against the rules that its class declares; adds one problem for a field that is wrong.
 *
 * @param path of the object: `media[2]`, empty for the body itself.
 * @returns the names of the fields that are wrong.
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
    for (const { complain } of Object.values(contexts ?? {}) as RuleContext[]) {
      const { code, what } = complain(value);
      problems.add(SCHEMA, path === '' ? property : `${path}.${property}`, code, what);
    }
  return new Set(errors.map(({ property }) => property));
};

/**
 * Checks the objects of a list one by one, until nothing that is yet to come could change the answer.
 *
 * @param list anything: what is no array has been told before, and has no items.
 * @param limit how many items to look at; that there are more has been told before.
 * @returns the items that are objects.
 */
export const checkEach = <Dto extends object>(
  DtoClass: new (sent: Sent) => Dto,
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
    const dto = new DtoClass(value);
    items.push({ dto, index, path: itemPath, wrong: checkFields(dto, itemPath, problems) });
  }
  return items;
};
