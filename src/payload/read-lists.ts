import { type AddressPolicy, findFetchUrlProblem } from '../outbound-http/url-rules.js';
import { checkEach } from '../validation/check-fields.js';
import type { Problem, ProblemList } from '../validation/problem-list.js';
import { aboutField, formatCount, wrongTypePredicate } from '../validation/wording.js';
import { compareByNesting, endOf, type EntityKind, entityKindOf } from './entities.js';
import { CONTENT_MESSAGES, PAYLOAD_MESSAGES } from './messages.js';
import { ButtonDto, EntityDto, MediaDto, TargetDto } from './payload.dto.js';
import { type Button, type Entity, LIMITS, type Media, type PostMedium, type Upload } from './payload.js';

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

// Each function reads one list of the payload, adds its problems to `problems`, and returns the valid items. A value
// that is not an array has already been reported and reads as an empty list.

/** Reads entities: checks their fields, then their ranges if `text` is a string. */
export const readEntities = (
  list: unknown,
  text: unknown,
  problems: ProblemList,
  path = 'entities',
): readonly Entity[] => {
  const placed: (Entity | undefined)[] = [];
  for (const { dto, index, wrong } of checkEach(EntityDto, list, path, problems))
    if (wrong.size === 0) placed[index] = entityOf(dto);
  if (typeof text === 'string') problems.addAll(400, findEntityProblems(text, placed, path));
  return placed.filter((entity) => entity !== undefined);
};

/** Returns a checked entity with only the fields of its type. */
const entityOf = (checked: EntityDto): Entity => {
  const { type, offset, length, url, language, custom_emoji_id } = checked as EntityDto & Required<Entity>;
  if (type === 'text_link') return { url, type, offset, length };
  if (type === 'pre' && language !== undefined) return { language, type, offset, length };
  return type === 'custom_emoji' ? { custom_emoji_id, type, offset, length } : { type, offset, length };
};

/**
 * Reads media: checks their fields, then their types and URLs (D-5: content, 400). An upload may lack its type.
 * @param contentProblems receives the problems with types and URLs
 */
export const readMedia = (
  list: unknown,
  policy: AddressPolicy,
  problems: ProblemList,
  path = 'media',
  contentProblems = problems,
): readonly PostMedium[] => {
  const media: PostMedium[] = [];
  for (const { dto, path: place, wrong } of checkEach(MediaDto, list, path, problems, LIMITS.media)) {
    const { type, url, id } = dto as { readonly type: Media['type']; readonly url?: string; readonly id?: string };
    if ((url === undefined) === (id === undefined) && !wrong.has('url') && !wrong.has('id'))
      problems.add(422, place, 'url_or_id', url === undefined ? PAYLOAD_MESSAGES.noFile : PAYLOAD_MESSAGES.twoFiles);
    if (dto.type === 'document')
      contentProblems.add(400, `${place}.type`, 'document_not_supported', CONTENT_MESSAGES.document);
    if (url === undefined) {
      media.push({ ...(type && { type }), id } as Upload);
      continue;
    }
    const problem = wrong.has('url') ? undefined : findFetchUrlProblem(url, policy);
    if (problem) contentProblems.add(400, `${place}.url`, problem.code, problem.predicate);
    media.push({ type, url });
  }
  return media;
};

/** Reads rows of buttons; empty rows are omitted. */
export const readButtons = (list: unknown, problems: ProblemList, path = 'buttons'): readonly (readonly Button[])[] => {
  if (!Array.isArray(list)) return [];
  const rows = (list as unknown[]).slice(0, LIMITS.buttonRows).map((row, index) => {
    const place = `${path}[${index}]`;
    if (!Array.isArray(row)) problems.add(422, place, 'wrong_type', wrongTypePredicate('an array of buttons', row));
    else if (row.length > LIMITS.buttonsPerRow) {
      const count = formatCount(row.length);
      const excess = formatCount(row.length - LIMITS.buttonsPerRow);
      const predicate = PAYLOAD_MESSAGES.tooManyButtons({ count, limit: LIMITS.buttonsPerRow, excess });
      problems.add(422, place, 'too_many', predicate);
    }
    const items = checkEach(ButtonDto, row, place, problems, LIMITS.buttonsPerRow);
    return Array.from(items, ({ dto }): Button => ({ text: dto.text as string, url: dto.url as string }));
  });
  return rows.filter((row) => row.length > 0);
};

/** Reads targets in the order sent, each once. */
export const readTargets = (list: unknown, problems: ProblemList): readonly { readonly id: string }[] => {
  const ids = new Set<string>();
  for (const { dto } of checkEach(TargetDto, list, 'targets', problems)) ids.add(dto.id as string);
  return Array.from(ids, (id) => ({ id }));
};
