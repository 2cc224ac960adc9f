import type { AddressPolicy } from '../outbound-http/address-policy.js';
import { findFetchUrlProblem } from '../outbound-http/url-rules.js';
import { checkEach } from '../validation/check-fields.js';
import type { ProblemList } from '../validation/problem-list.js';
import { formatCount, wrongTypePredicate } from '../validation/wording.js';
import { findEntityProblems } from './check-entities.js';
import { CONTENT_MESSAGES, PAYLOAD_MESSAGES } from './messages.js';
import { ButtonDto, EntityDto, MediaDto, TargetDto } from './payload.dto.js';
import { type Button, type Entity, LIMITS, type Media } from './payload.js';

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
 * Reads media: checks their fields, then their types and URLs (D-5: content, 400).
 * @param contentProblems receives the problems with types and URLs
 */
export const readMedia = (
  list: unknown,
  policy: AddressPolicy,
  problems: ProblemList,
  path = 'media',
  contentProblems = problems,
): readonly Media[] => {
  const media: Media[] = [];
  for (const { dto, path: place, wrong } of checkEach(MediaDto, list, path, problems, LIMITS.media)) {
    if (dto.type === 'document')
      contentProblems.add(400, `${place}.type`, 'document_not_supported', CONTENT_MESSAGES.document);
    const problem = wrong.has('url') ? undefined : findFetchUrlProblem(dto.url as string, policy);
    if (problem) contentProblems.add(400, `${place}.url`, problem.code, problem.predicate);
    media.push({ type: dto.type as Media['type'], url: dto.url as string });
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
