import { emptyListToAbsent } from '../validation/absence.js';
import { checkFields, checkObject } from '../validation/check-fields.js';
import { Schema } from '../validation/json-schema.js';
import { ProblemList, type Refused } from '../validation/problem-list.js';
import { ReadAs, readFields } from '../validation/read-fields.js';
import { Must } from '../validation/rules.js';
import { wrongTypePredicate } from '../validation/wording.js';
import { PAUSE_MESSAGES } from './messages.js';
import { LIMITS } from './payload.js';

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
export const validateTempPause = (value: unknown): { readonly ok: true; readonly body: TempPauseBody } | Refused => {
  const problems = new ProblemList();
  if (!checkObject(value, '', problems)) return problems.refused();
  const dto = readFields(TempPauseDto, value);
  checkFields(dto, '', problems);
  const targets = readTargetIds(dto.targets, problems);
  const [project_minutes, target_minutes] = [dto.project_minutes ?? 0, dto.target_minutes ?? 0];
  if (project_minutes === 0 && target_minutes === 0)
    problems.add(422, '', 'nothing_to_pause', PAUSE_MESSAGES.nothingToPause({ limit: LIMITS.pauseMinutes }));
  if (!problems.isEmpty) return problems.refused();
  return {
    ok: true,
    body: { project_minutes: project_minutes as number, target_minutes: target_minutes as number, targets },
  };
};

/** Checks a temp-resume body (D-45); the default scope is `all`. Every problem has the status 422. */
export const validateTempResume = (value: unknown): { readonly ok: true; readonly body: TempResumeBody } | Refused => {
  const problems = new ProblemList();
  if (!checkObject(value, '', problems)) return problems.refused();
  const dto = readFields(TempResumeDto, value);
  checkFields(dto, '', problems);
  const targets = readTargetIds(dto.targets, problems);
  if (!problems.isEmpty) return problems.refused();
  return { ok: true, body: { scope: (dto.scope ?? 'all') as TempResumeBody['scope'], targets } };
};

/** Reads target ids, each once. A value that is not an array has already been reported. */
const readTargetIds = (list: unknown, problems: ProblemList): readonly string[] => {
  if (!Array.isArray(list)) return [];
  const ids = new Set<string>();
  for (const [index, id] of (list as unknown[]).entries()) {
    if (problems.isFull) break;
    if (typeof id === 'string' && id !== '') ids.add(id);
    else problems.add(422, `targets[${index}]`, 'wrong_type', wrongTypePredicate(PAUSE_MESSAGES.targetId, id));
  }
  return [...ids];
};
