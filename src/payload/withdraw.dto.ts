import { validateBody } from '../validation/check-fields.js';
import type { ProblemList, Refused } from '../validation/problem-list.js';
import { Must } from '../validation/rules.js';
import { describeValue, wrongTypePredicate } from '../validation/wording.js';
import { WITHDRAW_MESSAGES } from './messages.js';

/** Longest reason, in characters. */
const LONGEST_REASON = 500;

/** Request body for taking a publication back. */
export class WithdrawPublicationBody {
  /** Why, for the people who read the history. */
  @Must.beVisibleText(LONGEST_REASON)
  readonly reason: string | undefined;
}

/** Request body for taking a post back (D-69). */
export class WithdrawBody extends WithdrawPublicationBody {
  /** Ids of the channels (`tgt_…`) on which the post is taken back; absent for all. */
  @Must.beArray('channel ids')
  readonly targets: readonly string[] | undefined;
}

/** Adds the problems of the list of channels: unlike elsewhere, an empty one must not mean all (D-74). */
export const checkWithdrawTargets = (targets: unknown, problems: ProblemList): void => {
  if (targets === undefined) return;
  if (targets === null || (Array.isArray(targets) && targets.length === 0))
    return problems.add(422, 'targets', 'empty', WITHDRAW_MESSAGES.noTargets);
  if (!Array.isArray(targets)) return;
  for (const [index, id] of (targets as unknown[]).entries()) {
    if (problems.isFull) return;
    const place = `targets[${index}]`;
    if (typeof id !== 'string')
      problems.add(422, place, 'wrong_type', wrongTypePredicate(WITHDRAW_MESSAGES.channelId, id));
    else if (targets.indexOf(id) !== index)
      problems.add(422, place, 'duplicate', WITHDRAW_MESSAGES.duplicateTarget({ id: describeValue(id) }));
  }
};

/** What a request to take a post back says. */
export interface WithdrawRequest {
  /** Null for all. */
  readonly targets: readonly string[] | null;
  readonly reason: string | null;
}

/** Checks the request body for taking a post back. */
export const validateWithdraw = (value: unknown): ({ readonly ok: true } & WithdrawRequest) | Refused =>
  validateBody(WithdrawBody, value, ({ targets = null, reason = null }, problems, sent) => {
    checkWithdrawTargets(sent.targets, problems);
    return { targets, reason };
  });
