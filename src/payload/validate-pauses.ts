import { filledList, given } from '../validation/absence.js';
import { checkFields, checkObject, type Sent } from '../validation/check-fields.js';

import { LIMITS } from './payload.js';
import { ProblemList, type Refused } from '../validation/problem-list.js';
import { Must } from '../validation/rules.js';
import { described } from '../validation/wording.js';

/** The body of temp-pause (publish-api.md: temp-pause): minutes from 0 to 1440, at least one above 0; no targets means all. */
export interface TempPauseBody {
  readonly project_minutes: number;
  readonly target_minutes: number;
  readonly targets: readonly string[];
}

/** Spec: temp-resume. */
export const RESUME_SCOPES = ['project', 'targets', 'all'] as const;
/** The body of temp-resume (publish-api.md: temp-resume). */
export interface TempResumeBody {
  readonly scope: (typeof RESUME_SCOPES)[number];
  /** Public ids of targets; none means all (D-45). Of meaning where the scope is `targets`. */
  readonly targets: readonly string[];
}

class TempPauseDto {
  @Must.bePauseMinutes()
  readonly project_minutes: unknown;

  @Must.bePauseMinutes()
  readonly target_minutes: unknown;

  @Must.beArray('target ids')
  readonly targets: unknown;

  constructor(sent: Sent) {
    this.project_minutes = given(sent.project_minutes);
    this.target_minutes = given(sent.target_minutes);
    this.targets = filledList(sent.targets);
  }
}

class TempResumeDto {
  @Must.beOneOf(RESUME_SCOPES)
  @Must.beText()
  readonly scope: unknown;

  @Must.beArray('target ids')
  readonly targets: unknown;

  constructor(sent: Sent) {
    this.scope = given(sent.scope);
    this.targets = filledList(sent.targets);
  }
}

/**
 * Checks the body of temp-pause (D-21): every problem is 422. Whether the targets exist is asked later.
 * @param value what `parseJsonBody` made of the body.
 */
export const validateTempPause = (value: unknown): { readonly ok: true; readonly body: TempPauseBody } | Refused => {
  const problems = new ProblemList();
  if (!checkObject(value, '', problems)) return problems.refused();
  const dto = new TempPauseDto(value);
  checkFields(dto, '', problems);
  const targets = readTargetIds(dto.targets, problems);
  const [project_minutes, target_minutes] = [dto.project_minutes ?? 0, dto.target_minutes ?? 0];
  if (project_minutes === 0 && target_minutes === 0)
    problems.add(
      422,
      '',
      'nothing_to_pause',
      `pauses nothing: send project_minutes or target_minutes from 1 to ${LIMITS.pauseMinutes}`,
    );
  if (!problems.isEmpty) return problems.refused();
  return {
    ok: true,
    body: { project_minutes: project_minutes as number, target_minutes: target_minutes as number, targets },
  };
};

/**
 * Checks the body of temp-resume (D-45): every problem is 422. Without a scope, all is resumed.
 * @param value what `parseJsonBody` made of the body.
 */
export const validateTempResume = (value: unknown): { readonly ok: true; readonly body: TempResumeBody } | Refused => {
  const problems = new ProblemList();
  if (!checkObject(value, '', problems)) return problems.refused();
  const dto = new TempResumeDto(value);
  checkFields(dto, '', problems);
  const targets = readTargetIds(dto.targets, problems);
  if (!problems.isEmpty) return problems.refused();
  return { ok: true, body: { scope: (dto.scope ?? 'all') as TempResumeBody['scope'], targets } };
};

/** Ids of targets, each once; what is no array has been told before. */
const readTargetIds = (list: unknown, problems: ProblemList): readonly string[] => {
  if (!Array.isArray(list)) return [];
  const ids = new Set<string>();
  for (const [index, id] of (list as unknown[]).entries()) {
    if (problems.isFull) break;
    if (typeof id === 'string' && id !== '') ids.add(id);
    else
      problems.add(
        422,
        `targets[${index}]`,
        'wrong_type',
        `must be the public id of a target, tgt_…, not ${described(id)}`,
      );
  }
  return [...ids];
};
