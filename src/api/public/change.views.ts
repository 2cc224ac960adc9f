import type { PublicationError } from '../../domain/publication/publication.events.js';
import { iso, isoOrNull } from '../../kernel/clock.js';
import { asSentence } from '../../kernel/message.js';
import type { PublicationRow, RowEdit, RowWithdrawal } from '../../projections/posts/posts.tables.js';
import { WAITING_MESSAGES as TEXTS } from './messages.js';

/** What the change of messages waits for. */
export class ChangeWaitView {
  readonly rule: NonNullable<RowWithdrawal['waiting']>['rule'];
  /** ISO 8601, UTC. */
  readonly until: string;
  /** Human-readable sentence. */
  readonly text: string;

  constructor(
    { rule, until }: NonNullable<RowWithdrawal['waiting']>,
    error: PublicationError | null,
    texts: (typeof TEXTS)['withdrawal' | 'edit'] = TEXTS.withdrawal,
  ) {
    this.rule = rule;
    this.until = iso(until);
    this.text = texts[rule]({ until: this.until, error: error ? asSentence(error.message) : '' });
  }
}

/** The latest take-back of a publication, as shown to the client of its endpoint (D-69). */
export class WithdrawalStatusView {
  /** ISO 8601, UTC. */
  readonly requested_at: string;
  readonly reason: string | null;
  /** Number of tries that did not end it. */
  readonly attempts: number;
  /** Ids of the messages that readers may still see. */
  readonly remaining: readonly string[];
  /** Null if nothing delays it. */
  readonly waiting_for: ChangeWaitView | null;
  /** Why it failed, or the latest try did; `message` says what to do. */
  readonly error: PublicationError | null;
  /** ISO 8601, UTC; null while messages are being deleted. */
  readonly ended_at: string | null;

  constructor(withdrawal: RowWithdrawal, remaining: readonly string[]) {
    const { requested_at, reason, attempts, waiting, error, ended_at } = withdrawal;
    this.requested_at = iso(requested_at);
    this.reason = reason;
    this.attempts = attempts;
    this.remaining = remaining;
    this.waiting_for = waiting && new ChangeWaitView(waiting, error);
    this.error = error;
    this.ended_at = isoOrNull(ended_at);
  }
}

/** Content that is newer than what readers see on one channel (D-72). */
export class EditView {
  /** Revision of the post. */
  readonly revision: number;
  /** `waiting` until messages may be changed; `failed` if they keep the content that they have. */
  readonly state: 'waiting' | 'editing' | 'failed';
  /** Number of tries that did not end it. */
  readonly attempts: number;
  /** Ids of the messages that show the content already. */
  readonly done: readonly string[];
  /** Null if nothing delays it. */
  readonly waiting_for: ChangeWaitView | null;
  /** Why it failed, or the latest try did; `message` says what to do. */
  readonly error: PublicationError | null;

  constructor({ revision, attempts, done, waits, waiting, error, has_failed }: RowEdit) {
    this.revision = revision;
    this.state = has_failed ? 'failed' : waits || waiting ? 'waiting' : 'editing';
    this.attempts = attempts;
    this.done = done;
    this.waiting_for = waiting && new ChangeWaitView(waiting, error, TEXTS.edit);
    this.error = error;
  }
}

/** Returns the newer content that readers' messages go to; null if there is none, or readers see no message yet. */
export const editOf = ({ state, edit, message_ids }: PublicationRow): EditView | null => {
  if (!edit || state === 'dismissed' || state === 'filtered') return null;
  const isNext = edit.waits && state !== 'publishing' && message_ids.length === 0;
  return isNext ? null : new EditView(edit);
};
