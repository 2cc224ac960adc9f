import type { Platform } from '../../../domain/channel/channel.events.js';
import type { PublicationError, PublicationWarning } from '../../../domain/publication/publication.events.js';
import { iso, isoOrNull } from '../../../kernel/instant.js';
import type { PlanHold } from '../../../projections/posts/post-plans.queries.js';
import type { Attempt, PublicationRow, PublicationViewState } from '../../../projections/posts/posts.tables.js';
import type { DueWait, Hold, ScheduledWithHold } from '../../../projections/publish-schedule/holds.queries.js';
import { warnOfDuplicate } from './duplicates.js';
import { describeNext, explainHold, explainPlan } from './explain-hold.js';
import { WaitingFiguresView } from './hold-figures.js';

/** One attempt at publishing (management-api.md: publication). */
export class AttemptView {
  /** From 1. */
  readonly n: number;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  /** ISO 8601, UTC; null while the attempt is running. */
  readonly ended_at: string | null;
  /**
   * `published`, `postponed`, `failed`, `in_doubt`; null while the attempt is running, or if another attempt succeeded
   * meanwhile.
   */
  readonly outcome: string | null;
  /** Classified according to D-35, with the network's own message; null if there was no error. */
  readonly error: PublicationError | null;

  constructor({ n, started_at, ended_at, outcome, error }: Attempt) {
    this.n = n;
    this.started_at = iso(started_at);
    this.ended_at = isoOrNull(ended_at);
    this.outcome = outcome;
    this.error = error;
  }
}

/** The reason why a publication waits (D-36; management-api.md: `waiting_for`). */
export class WaitingForView {
  /** Null if no rule holds it back: it is next on its channel, and is sent as soon as a worker picks it up. */
  readonly rule: Hold['rule'] | PlanHold['rule'] | null;
  /** ISO 8601, UTC; null if the end is not known. */
  readonly until: string | null;
  /** Id of the event that caused the wait; null if there is none. */
  readonly event_id: string | null;
  /** Human-readable sentence. */
  readonly text: string;
  /** Id of the publication ahead under the rule `earlier_publication`, otherwise null. */
  readonly blocked_by: string | null;
  readonly figures: WaitingFiguresView;

  constructor(
    hold: Hold | DueWait | PlanHold,
    text: string,
    blockedBy: string | null,
    scheduled: ScheduledWithHold | undefined,
  ) {
    this.rule = hold.rule;
    this.until = isoOrNull(hold.until);
    this.event_id = hold.eventId;
    this.text = text;
    this.blocked_by = blockedBy;
    this.figures = new WaitingFiguresView(hold.rule, scheduled);
  }
}

/** Messages of a call that had been given up but succeeded beside another call that was counted (D-84). */
export interface DuplicateView {
  readonly message_ids: readonly string[];
  /** When they were found (ISO 8601, UTC). */
  readonly at: string;
}

/** A post's publication on one channel (management-api.md: publication). */
export class PublicationView {
  /** `pub_…` */
  readonly id: string;
  readonly post_id: string;
  /** The channel. */
  readonly target_id: string;
  readonly platform: Platform;
  readonly project_id: string;
  /** Sequence number of the publication in its channel, starting at 1 (D-37); null until its post is released. */
  readonly sequence: number | null;
  readonly state: PublicationViewState;
  /** Earliest time of the next attempt (ISO 8601, UTC); null if there is none. */
  readonly not_before: string | null;
  /** Null unless it is planned or queued. */
  readonly waiting_for: WaitingForView | null;
  readonly attempts: readonly AttemptView[];
  /** Ids of the network's messages. */
  readonly message_ids: readonly string[];
  readonly urls: readonly string[];
  /** Degradations (D-22), and `published_twice` until the duplicate is dismissed (D-84). */
  readonly warnings: readonly PublicationWarning[];
  /** ISO 8601, UTC; null if it is not published. */
  readonly published_at: string | null;
  /** Messages that readers see in addition to `message_ids` (D-84). They stay listed after they are dismissed. */
  readonly duplicates: readonly DuplicateView[];

  /**
   * @param scheduled its entry in the publish schedule; undefined if it is not scheduled
   * @param plan what its post waits for; required if the publication is planned
   */
  constructor(row: PublicationRow, scheduled: ScheduledWithHold | undefined, plan?: PlanHold) {
    this.id = row.publication_id;
    this.post_id = row.post_id;
    this.target_id = row.channel_id;
    this.platform = row.platform;
    this.project_id = row.project_id;
    this.sequence = row.sequence;
    this.state = row.state;
    this.not_before = isoOrNull(scheduled?.publication.not_before || null);
    this.waiting_for = row.state === 'queued' ? waitingForOf(scheduled) : null;
    if (row.state === 'planned' && plan)
      this.waiting_for = new WaitingForView(plan, explainPlan(plan), null, undefined);
    this.attempts = row.attempts.map((attempt) => new AttemptView(attempt));
    this.message_ids = row.message_ids;
    this.urls = row.urls;
    this.warnings = [...row.warnings, ...warnOfDuplicate(row)];
    this.published_at = isoOrNull(row.published_at);
    this.duplicates = row.duplicates.map(({ message_ids, at }) => ({ message_ids, at: iso(at) }));
  }
}

/** Explains what a queued publication waits for: a rule, or a worker if no rule holds it back. */
const waitingForOf = (scheduled: ScheduledWithHold | undefined): WaitingForView => {
  if (!scheduled?.hold) {
    const next = describeNext(scheduled);
    return new WaitingForView(next.wait, next.text, null, scheduled);
  }
  const { hold, context } = scheduled;
  const blockedBy = hold.rule === 'earlier_publication' ? (context.first?.publication_id ?? null) : null;
  return new WaitingForView(hold, explainHold(hold, scheduled), blockedBy, scheduled);
};
