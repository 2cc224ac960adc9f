import type { Problem } from '../validation/problem-list.js';
import { aboutField } from '../validation/wording.js';
import { compareByNesting, endOf, type EntityKind, entityKindOf } from './entities.js';
import { CONTENT_MESSAGES } from './messages.js';
import type { Entity } from './payload.js';

/** An entity with its index in the payload, which would be lost by sorting. */
interface Placed {
  readonly entity: Entity;
  readonly index: number;
}

/** Maximum number of problems in one response (D-6). */
const MAX_PROBLEMS = 50;

/**
 * Finds problems with the ranges of entities (D-5, D-43, networks.md §2): a range outside the text, an edge inside a
 * surrogate pair, partial overlaps, and forbidden nesting. Range problems come first; nesting is only checked among
 * entities with valid ranges. O(n log n).
 *
 * @param entities contains undefined in place of rejected entities, so that indices stay correct
 * @param path name of the array in problems
 * @returns at most 50 problems
 */
export const findEntityProblems = (
  text: string,
  entities: readonly (Entity | undefined)[],
  path = 'entities',
): Problem[] => {
  const problems: Problem[] = [];
  const sound: Placed[] = [];
  entities.forEach((entity, index) => {
    const problem = entity && rangeProblem(text, entity, `${path}[${index}]`);
    if (problem) problems.push(problem);
    else if (entity) sound.push({ entity, index });
  });
  problems.push(...nestingProblems(sound, path));
  return problems.slice(0, MAX_PROBLEMS);
};

const rangeProblem = (text: string, entity: Entity, path: string): Problem | undefined => {
  const { offset } = entity;
  const end = endOf(entity);
  if (end > text.length) {
    const field = offset >= text.length ? `${path}.offset` : `${path}.length`;
    return {
      path: field,
      code: 'entity_out_of_range',
      message: aboutField(path, CONTENT_MESSAGES.entityOutOfRange({ offset, end, length: text.length })),
    };
  }
  const isSplitAtStart = splitsPair(text, offset);
  if (!isSplitAtStart && !splitsPair(text, end)) return undefined;
  const predicate = isSplitAtStart
    ? CONTENT_MESSAGES.entityBeginsInsideCharacter({ at: offset })
    : CONTENT_MESSAGES.entityEndsInsideCharacter({ at: end });
  return {
    path: `${path}.${isSplitAtStart ? 'offset' : 'length'}`,
    code: 'entity_splits_character',
    message: aboutField(path, predicate),
  };
};

const splitsPair = (text: string, at: number): boolean =>
  at > 0 &&
  at < text.length &&
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 &&
  (text.charCodeAt(at) & 0xfc00) === 0xdc00;

const nestingProblems = (sound: readonly Placed[], path: string): Problem[] => {
  const problems: Problem[] = [];
  /** The entities that contain the current entity, outermost first, and their count by kind. */
  const around: Placed[] = [];
  const kinds: Record<EntityKind, number> = { style: 0, quote: 0, verbatim: 0, label: 0 };
  const isSorted = sound.every(({ entity }, i) => i === 0 || compareByNesting(sound[i - 1]!.entity, entity) <= 0);
  const sorted = isSorted ? sound : [...sound].sort((a, b) => compareByNesting(a.entity, b.entity)); // rarely needed

  for (const placed of sorted) {
    const { entity } = placed;
    for (let last = around.at(-1); last && endOf(last.entity) <= entity.offset; last = around.at(-1)) {
      around.pop();
      kinds[entityKindOf(last.entity.type)]--;
    }
    const innermost = around.at(-1);
    const kind = entityKindOf(entity.type);
    const barred = BARRED[kind];
    if (innermost && endOf(entity) > endOf(innermost.entity))
      problems.push(misplaced(placed, innermost, path, CONTENT_MESSAGES.entitiesOverlap));
    else if (barred.some((outer) => kinds[outer] > 0)) {
      const holder = around.findLast((outer) => barred.includes(entityKindOf(outer.entity.type)))!;
      problems.push(misplaced(placed, holder, path, CONTENT_MESSAGES.entitiesCannotNest));
    } else {
      around.push(placed);
      kinds[kind]++;
    }
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems;
};

/** For each kind, the kinds that must not contain it. */
const BARRED: Readonly<Record<EntityKind, readonly EntityKind[]>> = {
  style: ['verbatim'],
  quote: ['verbatim', 'label', 'quote'],
  verbatim: ['verbatim', 'label', 'style'],
  label: ['verbatim', 'label'],
};

const misplaced = (
  inner: Placed,
  outer: Placed,
  path: string,
  describe: typeof CONTENT_MESSAGES.entitiesOverlap,
): Problem => {
  const name = ({ entity, index }: Placed) => `${path}[${index}] (${entity.type}, ${entity.offset}–${endOf(entity)})`;
  return {
    path: `${path}[${inner.index}]`,
    code: 'entities_nest_wrongly',
    message: describe({ inner: name(inner), outer: name(outer) }),
  };
};
