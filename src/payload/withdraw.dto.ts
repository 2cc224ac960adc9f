import { validateBody } from '../validation/check-fields.js';
import { Schema } from '../validation/json-schema.js';
import type { ProblemList, Refused } from '../validation/problem-list.js';
import { Must } from '../validation/rules.js';
import { WITHDRAW_MESSAGES } from './messages.js';
import { readTargetIds } from './validate.js';

/** Longest reason, in characters. */
const LONGEST_REASON = 500;

/** Request body for taking a publication back. */
export class WithdrawPublicationBody {
  /** The reason, which the history shows. */
  @Must.beVisibleText(LONGEST_REASON)
  readonly reason: string | undefined;
}

/** Request body for taking a post back (D-69). */
export class WithdrawBody extends WithdrawPublicationBody {
  /** Ids of the channels (`tgt_…`) on which the post is taken back; absent for all. */
  @Schema.items(() => ({ type: 'string', minLength: 1 }))
  @Must.beArray('target ids')
  readonly targets: unknown;
}

/** What a request to take a post back says. */
export interface WithdrawRequest {
  /** Null for all. */
  readonly targets: readonly string[] | null;
  readonly reason: string | null;
}

/** Reads the fields of a body. Unlike elsewhere, an empty list of targets is refused: it must not mean all (D-74). */
export const readWithdrawal = (
  { targets, reason }: WithdrawBody,
  sent: Readonly<Record<string, unknown>>,
  problems: ProblemList,
): WithdrawRequest => {
  if (sent.targets === undefined) return { targets: null, reason: reason ?? null };
  const ids = readTargetIds(targets, problems);
  const isEmpty = sent.targets === null || (Array.isArray(sent.targets) && sent.targets.length === 0);
  if (isEmpty) problems.add(422, 'targets', 'empty', WITHDRAW_MESSAGES.noTargets);
  return { targets: ids, reason: reason ?? null };
};

/** Checks the request body for taking a post back. */
export const validateWithdraw = (value: unknown): ({ readonly ok: true } & WithdrawRequest) | Refused =>
  validateBody(WithdrawBody, value, (dto, problems, sent) => readWithdrawal(dto, sent, problems));
