import type { Instant } from '../kernel/clock.js';
import { type AddressPolicy, PUBLIC_ONLY } from '../outbound-http/url-rules.js';
import {
  checkFields,
  checkObject,
  emptyListToAbsent,
  fieldNamesOf,
  ReadAs,
  readFields,
  type Sent,
  validateBody,
} from '../validation/check-fields.js';
import { Schema } from '../validation/json-schema.js';
import { type Problem, ProblemList, type Refused } from '../validation/problem-list.js';
import { Must } from '../validation/rules.js';
import { countCharacters, isVisible } from '../validation/text-measure.js';
import { tooLongPredicate, wrongTypePredicate } from '../validation/wording.js';
import {
  type Audience,
  findTargetProblems,
  listAddressed,
  NO_AUDIENCE,
  readLayer,
  readOverrides,
} from './content-layers.js';
import { PAUSE_MESSAGES, PAYLOAD_MESSAGES } from './messages.js';
import type { ContentOverride } from './overrides.js';
import { ContentDto, PublishPayloadDto } from './payload.dto.js';
import { LIMITS, type PublishPayload } from './payload.js';
import { checkPublishAt } from './publish-at.js';
import { readButtons, readEntities, readMedia, readTargets } from './read-lists.js';
import { findUnknownFields } from './unknown-fields.js';

type CheckedPayload =
  { readonly ok: true; readonly payload: PublishPayload; readonly problems: readonly Problem[] } | Refused;

/** Describes what is wrong with a post without content; names up to three possibly misspelt fields (D-49). */
const describeMissingContent = (sent: Sent): string => {
  const unknown = findUnknownFields(sent, 3).map(({ path: field, nearest }) =>
    nearest === null ? PAYLOAD_MESSAGES.notAField({ field }) : PAYLOAD_MESSAGES.misspeltField({ field, nearest }),
  );
  return [PAYLOAD_MESSAGES.nothingToPublish, ...unknown].join('; ');
};

/**
 * Checks a publish payload (publish-api.md: Publish payload, Limits; D-5, D-6, D-43). Reports all problems at once, at
 * most 50; the status is 422 for any schema problem, 400 for content problems alone. Null and empty fields count as
 * absent, and so does text without visible characters; unknown fields are omitted. Fetches nothing, and does not check
 * whether targets exist. Takes linear time, except for sorting entities, and never throws.
 *
 * @param value the parsed body
 * @param policy private addresses that media URLs may have; default: none
 * @param audience the networks and targets that may have overrides
 * @param now the time to compare `publish_at` with; null to check only its form
 */
export const validatePayload = (
  value: unknown,
  policy: AddressPolicy = PUBLIC_ONLY,
  audience: Audience = NO_AUDIENCE,
  now: Instant | null = null,
): CheckedPayload => {
  const problems = new ProblemList();
  if (!checkObject(value, '', problems)) return problems.refused();
  const dto = readFields(PublishPayloadDto, value);
  const wrong = checkFields(dto, '', problems);
  const overrides = readOverrides(dto.overrides, audience, { policy, problems });
  const hasOverrides = overrides.size > 0;
  const own = hasOverrides ? readLayer(value, dto, wrong, '', { policy, problems }) : null;
  const { text, entities, media, buttons } = own?.fields ?? readContent(value, dto, policy, problems);
  const targets = readTargets(dto.targets, problems);
  if (own) findTargetProblems(own, overrides, listAddressed({ targets }, audience), problems);
  else if (text === undefined && dto.media === undefined && dto.buttons === undefined)
    problems.add(422, '', 'nothing_to_publish', describeMissingContent(value));
  if (dto.publish_at !== undefined && now !== null) checkPublishAt(dto.publish_at, now, problems);
  if (!problems.isEmpty) return problems.refused();

  // Every field satisfies its rule or is absent. Building the object from entries would take five times as long.
  const fields: Sent = {
    ...dto,
    text: text || undefined,
    entities: text ? unlessEmpty(entities) : undefined,
    media: unlessEmpty(media),
    buttons: unlessEmpty(buttons),
    targets: unlessEmpty(targets),
    overrides: undefined,
  };
  const payload: Record<string, unknown> = {};
  for (const name of FIELDS) if (fields[name] !== undefined) payload[name] = fields[name];
  if (hasOverrides) payload.overrides = Object.fromEntries(Array.from(overrides, ([key, { fields }]) => [key, fields]));
  return { ok: true, payload, problems: [] };
};

const FIELDS = fieldNamesOf(PublishPayloadDto);
const CONTENT_FIELDS: ReadonlySet<string> = new Set(fieldNamesOf(ContentDto));

/** New content of a post, and the names of other fields, which have no effect. */
type CheckedContent =
  | { readonly ok: true; readonly content: Pick<PublishPayload, keyof ContentDto>; readonly unused: readonly string[] }
  | Refused;

/** Checks the content that replaces a post's, like a new payload (D-72). Parameters as for {@link validatePayload}. */
export const validateContent = (value: unknown, policy: AddressPolicy, audience: Audience): CheckedContent => {
  const problems = new ProblemList();
  if (!checkObject(value, '', problems)) return problems.refused();
  const fields = Object.entries(value);
  const content = Object.fromEntries(fields.filter(([name]) => CONTENT_FIELDS.has(name)));
  const checked = validatePayload(content, policy, audience);
  const unused = fields.map(([name]) => name).filter((name) => !CONTENT_FIELDS.has(name));
  return checked.ok ? { ok: true, content: checked.payload, unused } : checked;
};

const unlessEmpty = <T>(list: readonly T[] | null | undefined): readonly T[] | undefined =>
  list?.length ? list : undefined;

/** Reads the content of a payload that has no overrides, and finds all its problems. */
const readContent = (
  sent: Sent,
  dto: PublishPayloadDto,
  policy: AddressPolicy,
  problems: ProblemList,
): ContentOverride => {
  const text = dto.text ?? '';
  const entities = readEntities(dto.entities, text, problems);
  const media = readMedia(dto.media, policy, problems);
  const buttons = readButtons(dto.buttons, problems);
  const hasText = typeof text !== 'string' || isVisible(text);
  return { ...(hasText && { text: text as string }), entities, media, buttons };
};

/** temp-pause request body (publish-api.md): minutes from 0 to 1440, at least one above 0; no targets means all. */
export interface TempPauseBody {
  readonly project_minutes: number;
  readonly target_minutes: number;
  readonly targets: readonly string[];
}

/** See publish-api.md: temp-resume. */
export const RESUME_SCOPES = ['project', 'targets', 'all'] as const;
/** temp-resume request body (publish-api.md). */
export interface TempResumeBody {
  readonly scope: (typeof RESUME_SCOPES)[number];
  /** Public ids of targets; an empty list means all (D-45). Used if the scope is `targets`. */
  readonly targets: readonly string[];
}

/** Fields of the temp-pause body. */
export class TempPauseDto {
  @Must.beWithin(0, LIMITS.pauseMinutes)
  readonly project_minutes: unknown;

  @Must.beWithin(0, LIMITS.pauseMinutes)
  readonly target_minutes: unknown;

  @ReadAs(emptyListToAbsent)
  @Schema.items(() => ({ type: 'string', minLength: 1 }))
  @Must.beArray('target ids')
  readonly targets: unknown;
}

/** Fields of the temp-resume body. */
export class TempResumeDto {
  @Must.beOneOf(RESUME_SCOPES)
  @Must.beText()
  readonly scope: unknown;

  @ReadAs(emptyListToAbsent)
  @Schema.items(() => ({ type: 'string', minLength: 1 }))
  @Must.beArray('target ids')
  readonly targets: unknown;
}

/** Checks a temp-pause body (D-21), but not whether its targets exist. Every problem has the status 422. */
export const validateTempPause = (value: unknown): { readonly ok: true; readonly body: TempPauseBody } | Refused =>
  validateBody(TempPauseDto, value, ({ project_minutes = 0, target_minutes = 0, targets }, problems) => {
    const body = { project_minutes, target_minutes, targets: readTargetIds(targets, problems) } as TempPauseBody;
    if (project_minutes === 0 && target_minutes === 0)
      problems.add(422, '', 'nothing_to_pause', PAUSE_MESSAGES.nothingToPause({ limit: LIMITS.pauseMinutes }));
    return { body };
  });

/** Checks a temp-resume body (D-45); the default scope is `all`. Every problem has the status 422. */
export const validateTempResume = (value: unknown): { readonly ok: true; readonly body: TempResumeBody } | Refused =>
  validateBody(TempResumeDto, value, ({ scope = 'all', targets }, problems) => ({
    body: { scope, targets: readTargetIds(targets, problems) } as TempResumeBody,
  }));

/** Reads target ids, each once. A value that is not an array has already been reported. */
export const readTargetIds = (list: unknown, problems: ProblemList): readonly string[] => {
  if (!Array.isArray(list)) return [];
  const ids = new Set<string>();
  for (const [index, id] of (list as unknown[]).entries()) {
    if (problems.isFull) break;
    if (typeof id === 'string' && id !== '') ids.add(id);
    else problems.add(422, `targets[${index}]`, 'wrong_type', wrongTypePredicate(PAUSE_MESSAGES.targetId, id));
  }
  return [...ids];
};

/** A valid Idempotency-Key (undefined if none was sent), or its problems. */
export type CheckedKey = { readonly ok: true; readonly key: string | undefined } | Refused;

/**
 * Checks the `Idempotency-Key` header (D-43): at most 128 characters, otherwise 422. An empty key counts as absent;
 * otherwise every request with an empty key would be a replay of the first.
 */
export const validateIdempotencyKey = (header: string | undefined): CheckedKey => {
  const key = header?.trim() ?? '';
  const length = countCharacters(key);
  if (length <= LIMITS.keyLength) return { ok: true, key: key === '' ? undefined : key };
  const problems = new ProblemList();
  problems.add(422, 'Idempotency-Key', 'too_long', tooLongPredicate(length, LIMITS.keyLength, 'characters'));
  return problems.refused();
};
