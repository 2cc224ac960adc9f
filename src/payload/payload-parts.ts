import type { AddressPolicy } from '../outbound-http/address-policy.js';
import { checkEntities } from './check-entities.js';
import { checkEach } from '../validation/check-fields.js';
import { ButtonDto, EntityDto, MediaDto, TargetDto } from './payload.dto.js';
import { LIMITS, type Button, type Entity, type Media } from './payload.js';
import type { ProblemList } from '../validation/problem-list.js';
import { fetchUrlComplaint } from '../outbound-http/url-rules.js';
import { described, grouped } from '../validation/wording.js';

// Each of these reads one list of the payload, adds what is wrong to `problems`, and returns what is sound. What is no
// array has been told before, and reads as an empty one.

/** Entities by their own fields, then by where they stand in `text`, where that is one. */
export const readEntities = (list: unknown, text: unknown, problems: ProblemList): readonly Entity[] => {
  const entities: Entity[] = [];
  const placed: (Entity | undefined)[] = [];
  for (const { dto, index, wrong } of checkEach(EntityDto, list, 'entities', problems)) {
    if (wrong.size > 0) continue;
    const entity = entityOf(dto);
    entities.push(entity);
    placed[index] = entity;
  }
  if (typeof text === 'string') problems.addAll(400, checkEntities(text, placed));
  return entities;
};

/** A checked entity, with the fields that its type has and no others. */
const entityOf = (checked: EntityDto): Entity => {
  const { type, offset, length, url, language, custom_emoji_id } = checked as EntityDto & Required<Entity>;
  if (type === 'text_link') return { url, type, offset, length };
  if (type === 'pre' && language !== undefined) return { language, type, offset, length };
  return type === 'custom_emoji' ? { custom_emoji_id, type, offset, length } : { type, offset, length };
};

/** Media by their fields, then by whether their kind is published and their URL may be fetched (D-5: content, 400). */
export const readMedia = (list: unknown, policy: AddressPolicy, problems: ProblemList): readonly Media[] => {
  const media: Media[] = [];
  for (const { dto, path, wrong } of checkEach(MediaDto, list, 'media', problems, LIMITS.media)) {
    if (dto.type === 'document')
      problems.add(
        400,
        `${path}.type`,
        'document_not_supported',
        'is document, which cannot be published: send photo, video or audio',
      );
    const complaint = wrong.has('url') ? undefined : fetchUrlComplaint(dto.url as string, policy);
    if (complaint) problems.add(400, `${path}.url`, complaint.code, complaint.what);
    media.push({ type: dto.type as Media['type'], url: dto.url as string });
  }
  return media;
};

/** Rows of buttons; rows without any are left out. */
export const readButtons = (list: unknown, problems: ProblemList): readonly (readonly Button[])[] => {
  if (!Array.isArray(list)) return [];
  const rows = (list as unknown[]).slice(0, LIMITS.buttonRows).map((row, index) => {
    const path = `buttons[${index}]`;
    if (!Array.isArray(row))
      problems.add(422, path, 'wrong_type', `must be an array of buttons, not ${described(row)}`);
    else if (row.length > LIMITS.buttonsPerRow)
      problems.add(
        422,
        path,
        'too_many',
        `has ${grouped(row.length)} buttons; at most ${LIMITS.buttonsPerRow} are allowed`,
      );
    const items = checkEach(ButtonDto, row, path, problems, LIMITS.buttonsPerRow);
    return Array.from(items, ({ dto }): Button => ({ text: dto.text as string, url: dto.url as string }));
  });
  return rows.filter((row) => row.length > 0);
};

/** Targets, each once, in the order in which they were sent. */
export const readTargets = (list: unknown, problems: ProblemList): readonly { readonly id: string }[] => {
  const ids = new Set<string>();
  for (const { dto } of checkEach(TargetDto, list, 'targets', problems)) ids.add(dto.id as string);
  return Array.from(ids, (id) => ({ id }));
};
