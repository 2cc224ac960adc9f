import { Inject, Injectable } from '@nestjs/common';
import { listMessages } from '../../../commands/publication.js';
import type { Attention, Platform } from '../../../domain/channel/channel.events.js';
import type { PublicationError, PublicationWarning } from '../../../domain/publication/publication.events.js';
import { CLOCK, type Clock, iso, isoOrNull } from '../../../kernel/clock.js';
import { asSentence } from '../../../kernel/message.js';
import { type PlanHold, PostPlans } from '../../../projections/posts/post-details.queries.js';
import {
  type Attempt,
  listRemaining,
  type PublicationRow,
  type PublicationViewState,
  type RowWithdrawal,
} from '../../../projections/posts/posts.tables.js';
import { FindHiddenPublications } from '../../../projections/posts/publications.queries.js';
import {
  type DueWait,
  findDueWait,
  FindHolds,
  type Hold,
  type ScheduledWithHold,
} from '../../../projections/publish-schedule/holds.queries.js';
import { PublicationStatistics, type StatisticsView } from '../../../statistics/statistics.queries.js';
import {
  type CanView,
  ChangeForecasts,
  editOf,
  type EditView,
  WithdrawalStatusView,
} from '../../public/change.views.js';
import { HOLD_MESSAGES as TEXTS, PUBLICATION_VIEW_MESSAGES } from '../messages.js';

type Shown = Pick<PublicationRow, 'message_ids' | 'urls' | 'duplicates'>;

/** Lists all messages of a publication that readers see twice: their links or, where there are none, their ids. */
export const describeDuplicates = ({ message_ids, urls, duplicates }: Shown): string =>
  listMessages([
    { messageIds: message_ids, urls },
    ...duplicates.map((duplicate) => ({ messageIds: duplicate.message_ids, urls: duplicate.urls })),
  ]);

/** Returns the warning that readers see a publication twice; empty once the duplicate is dismissed (D-84). */
export const warnOfDuplicate = (row: Shown & Pick<PublicationRow, 'duplicate_since'>): readonly PublicationWarning[] =>
  row.duplicate_since === null
    ? []
    : [
        {
          code: 'published_twice',
          message: PUBLICATION_VIEW_MESSAGES.publishedTwice({ messages: describeDuplicates(row) }),
        },
      ];

/** Explains in a sentence which rule holds a publication back, until when, and what ends it sooner (D-36). */
export const explainHold = ({ rule, until }: Hold, { context, publication }: ScheduledWithHold): string => {
  const channel = context.channelName === null ? TEXTS.unnamedChannel : TEXTS.channel({ name: context.channelName });
  const project = context.projectName === null ? TEXTS.unnamedProject : TEXTS.project({ name: context.projectName });
  const when = until === null ? '' : TEXTS.until({ until: iso(until) });
  const end = String(isoOrNull(until));
  switch (rule) {
    case 'project_pause':
      return TEXTS.projectPause({ project, when });
    case 'channel_pause':
      return TEXTS.channelPause({ channel, when });
    case 'backlog_spacing':
      return TEXTS.backlogSpacing({ until: end });
    case 'earlier_publication': {
      const { sequence, state: stateOfFirst } = context.first!;
      const first = TEXTS.numberOfChannel({ number: sequence });
      const state = stateOfFirst === 'publishing' ? TEXTS.isPublished : TEXTS.waits({ when });
      const attempt = describeAttempt(context, TEXTS.itsAttempt);
      return TEXTS.earlierPublication({ first, state, attempt, number: publication.sequence });
    }
    case 'retry':
      return TEXTS.retry({ attempt: describeAttempt(context) || TEXTS.attemptFailed, until: end });
    case 'platform_limit':
      return TEXTS.platformLimit({ attempt: describeAttempt(context), until: end });
    case 'pace':
      return TEXTS.pace({ until: end });
    case 'share':
      return TEXTS.share;
    case 'needs_attention':
      return explainAttention(context, channel, publication.channel_id, when);
    case 'quota':
      return TEXTS.quota({ until: end });
  }
};

const explainAttention = (
  { channelEnabled, attention }: ScheduledWithHold['context'],
  channel: string,
  id: string,
  when: string,
): string => {
  const reason = describeAttention(attention);
  if (channelEnabled) return TEXTS.needsAttention({ channel, reason, when, id });
  return attention ? TEXTS.channelDisabledAndRefused({ channel, reason, id }) : TEXTS.channelDisabled({ channel });
};

/** Returns a sentence that states the refusal, what to do about it, and the network's own message. */
const describeAttention = (attention: Attention | null): string => {
  if (!attention) return TEXTS.networkRefuses;
  const { message, platform_says } = attention;
  return quote({ message, platform_says });
};

/** Describes the latest attempt and its error. Ends with a space; empty if there was no attempt. */
const describeAttempt = (
  { lastAttempt }: ScheduledWithHold['context'],
  name: typeof TEXTS.attempt = TEXTS.attempt,
): string => {
  if (!lastAttempt) return '';
  const { number, of, isUnderWay, error } = lastAttempt;
  const attempt = name({ number, of });
  if (isUnderWay) return error ? TEXTS.underWayAfter({ attempt, error: quote(error) }) : TEXTS.underWay({ attempt });
  return error ? TEXTS.failedBecause({ attempt, error: quote(error) }) : TEXTS.failed({ attempt });
};

const quote = ({
  message,
  platform_says = null,
}: {
  readonly message: string;
  readonly platform_says?: string | null;
}): string => {
  const error = asSentence(message);
  return platform_says === null ? error : TEXTS.platformSays({ error, text: platform_says });
};

/** Describes a queued publication that no rule holds back. @param scheduled as for {@link findDueWait} */
export const describeNext = (
  scheduled: ScheduledWithHold | undefined,
): { readonly wait: DueWait; readonly text: string } => {
  const wait = findDueWait(scheduled?.publication);
  const isRetryDue = scheduled !== undefined && wait.rule === 'retry';
  const text = isRetryDue ? TEXTS.retryDue({ attempt: describeAttempt(scheduled.context) }) : TEXTS.nextInQueue;
  return { wait, text };
};

/** Explains what a planned post waits for (D-65, D-80). */
export const explainPlan = ({ rule, publishAt }: PlanHold): string => {
  if (rule === 'restored') return TEXTS.restored;
  if (rule === 'scheduled') return TEXTS.scheduled({ at: String(isoOrNull(publishAt)) });
  return publishAt === null ? TEXTS.approval : TEXTS.approvalAndTime({ at: iso(publishAt) });
};

type WaitingRule = (Hold | DueWait | PlanHold)['rule'];

/** The values used in the hold explanation, for clients that write their own; null if not applicable. */
export class WaitingFiguresView {
  /** Number of this publication's latest attempt, from 1. */
  readonly attempt: number | null = null;
  /** Maximum number of attempts (D-20). */
  readonly of: number | null = null;
  /** The network's own message about that attempt, or about the channel that needs attention. */
  readonly platform_says: string | null = null;
  /** Sequence number of the publication ahead in the channel. */
  readonly first_sequence: number | null = null;
  /** The rule that holds back the publication ahead; null if none does. */
  readonly blocked_by_rule: Hold['rule'] | null = null;

  /** @param scheduled undefined for a planned publication, and while the schedule does not show the publication yet */
  constructor(rule: WaitingRule, scheduled: ScheduledWithHold | undefined) {
    if (!scheduled) return;
    const { first, firstRule, lastAttempt, attention } = scheduled.context;
    if (rule === 'needs_attention') this.platform_says = attention?.platform_says ?? null;
    if (rule === 'earlier_publication') {
      this.first_sequence = first!.sequence;
      this.blocked_by_rule = firstRule;
    }
    if (!IS_OF_ATTEMPT.has(rule) || !lastAttempt) return;
    this.attempt = lastAttempt.number;
    this.of = lastAttempt.of;
    this.platform_says = lastAttempt.error?.platform_says ?? null;
  }
}

/** Rules that an attempt at the publication itself has led to. */
const IS_OF_ATTEMPT: ReadonlySet<WaitingRule> = new Set(['retry', 'platform_limit']);

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

/** The latest take-back of a publication (D-69). */
export class WithdrawalView extends WithdrawalStatusView {
  /** The actor who asked. */
  readonly by: string;

  constructor(withdrawal: RowWithdrawal, remaining: readonly string[]) {
    super(withdrawal, remaining);
    this.by = withdrawal.by;
  }
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
  /** The latest take-back; null if there was none. */
  readonly withdrawal: WithdrawalView | null;
  /** Revision of the post that readers see; null if it is not published. */
  readonly content_version: number | null;
  /** When a message was last changed, ISO 8601, UTC; null if never. */
  readonly edited_at: string | null;
  /** Newer content; null if readers see the newest, or nothing yet. */
  readonly edit: EditView | null;
  /** True if a message is pinned, false if it should be; null if it was not asked for. */
  readonly pinned: boolean | null;
  readonly can: CanView;
  readonly statistics: StatisticsView;

  /**
   * @param scheduled its entry in the publish schedule; undefined if it is not scheduled
   * @param plan what its post waits for; required if the publication is planned
   */
  constructor(
    row: PublicationRow,
    scheduled: ScheduledWithHold | undefined,
    { can, statistics }: { readonly can: CanView; readonly statistics: StatisticsView },
    plan?: PlanHold,
  ) {
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
    this.withdrawal = row.withdrawal && new WithdrawalView(row.withdrawal, listRemaining(row));
    this.content_version = row.published_at === null ? null : row.content_version;
    this.edited_at = isoOrNull(row.edited_at);
    this.edit = editOf(row);
    this.pinned = row.is_pinned;
    this.can = can;
    this.statistics = statistics;
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

/** Builds publication views, including why each publication is waiting (management-api.md: publication). */
@Injectable()
export class PublicationViewBuilder {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly findHolds: FindHolds,
    private readonly plans: PostPlans,
    private readonly forecasts: ChangeForecasts,
    private readonly statistics: PublicationStatistics,
    private readonly findHidden: FindHiddenPublications,
  ) {}

  /**
   * Returns one view per row, in the same order.
   * @param endpointIds a limited key's: what goes first on a channel is named only if it is theirs (D-93); null for all
   */
  async buildViews(
    rows: readonly PublicationRow[],
    endpointIds: readonly string[] | null = null,
  ): Promise<PublicationView[]> {
    const queued = rows.filter(({ state }) => state === 'queued');
    const ids = queued.map(({ publication_id }) => publication_id);
    const scheduled = await this.findHolds.execute(ids, this.clock.now());
    const byId = new Map(scheduled.map((row) => [row.publication.publication_id, row]));
    const planned = rows.filter(({ state }) => state === 'planned');
    const plans = await this.plans.find(planned.map(({ post_id }) => post_id));
    const can = await this.forecasts.forecast(rows);
    const statistics = await this.statistics.find(rows);
    const first = scheduled.flatMap(({ context }) => context?.first?.publication_id ?? []);
    const hidden = endpointIds === null ? [] : await this.findHidden.execute(first, endpointIds);
    return rows.map((row) => {
      const id = row.publication_id;
      const known = { can: can.get(id)!, statistics: statistics.get(id)! };
      const view = new PublicationView(row, byId.get(id), known, plans.get(row.post_id));
      const { waiting_for: waiting } = view;
      if (!waiting || !hidden.includes(waiting.blocked_by ?? '')) return view;
      return { ...view, waiting_for: { ...waiting, blocked_by: null } };
    });
  }
}
