import type { Api } from '../../api/management.js';
import type { IconName, Tone } from '../../components/icon.js';
import type { Publication } from '../../publications/shown-state.js';

/** An event of the trace. */
export type TraceEvent = Api<'AuditedEvent'>;

/** Types of steps in a publication's story. */
export type StepKind =
  | 'requested'
  | 'accepted'
  | 'attempt'
  | 'published'
  | 'retry'
  | 'slowed'
  | 'refused'
  | 'interrupted'
  | 'failed'
  | 'in_doubt'
  | 'filtered'
  | 'quota'
  | 'resent'
  | 'dismissed'
  | 'cancelled'
  | 'settled'
  | 'approved'
  | 'rejected'
  | 'revised'
  | 'rescheduled'
  | 'duplicate'
  | 'duplicate_dismissed'
  | 'withdrawal_requested'
  | 'withdrawal_postponed'
  | 'withdrawn'
  | 'not_sent'
  | 'withdraw_failed'
  | 'withdrawal_left'
  | 'edit_requested'
  | 'edit_postponed'
  | 'edited'
  | 'edit_failed'
  | 'edit_left'
  | 'pinned'
  | 'not_pinned'
  | 'notice'
  | 'wait'
  | 'now';

/** A wait: its length in ms, the rule behind it, if known, and who ended it, if that was a person's decision. */
export interface Wait {
  readonly length: number;
  readonly rule: string | null;
  readonly by?: TraceEvent;
}

/** A step in a publication's story. */
export interface Step {
  readonly key: string;
  readonly kind: StepKind;
  /** ISO 8601; null for the current state. */
  readonly at: string | null;
  /** The event behind the step; null for waits and for the current state. */
  readonly event: TraceEvent | null;
  /** Attempt number; null if the step is not part of an attempt. */
  readonly attempt: number | null;
  /** Sending steps that were completed in this attempt. */
  readonly done: readonly string[];
  /** Null for other steps. */
  readonly wait: Wait | null;
}

/** Icon for each type of step; null for a plain dot. */
export const STEP_LOOKS: Readonly<Record<StepKind, { readonly icon: IconName; readonly tone: Tone } | null>> = {
  requested: null,
  accepted: { icon: 'check', tone: 'ok' },
  attempt: { icon: 'publishing', tone: 'go' },
  published: { icon: 'published', tone: 'ok' },
  retry: { icon: 'retrying', tone: 'warn' },
  slowed: { icon: 'slowed', tone: 'idle' },
  refused: { icon: 'onHold', tone: 'warn' },
  interrupted: { icon: 'retrying', tone: 'idle' },
  failed: { icon: 'failed', tone: 'fail' },
  in_doubt: { icon: 'inDoubt', tone: 'doubt' },
  filtered: { icon: 'filtered', tone: 'idle' },
  quota: { icon: 'onHold', tone: 'warn' },
  resent: { icon: 'retrying', tone: 'go' },
  dismissed: { icon: 'dismissed', tone: 'idle' },
  cancelled: { icon: 'dismissed', tone: 'idle' },
  approved: { icon: 'check', tone: 'ok' },
  rejected: { icon: 'dismissed', tone: 'warn' },
  revised: null,
  rescheduled: null,
  settled: { icon: 'check', tone: 'ok' },
  duplicate: { icon: 'published', tone: 'warn' },
  duplicate_dismissed: { icon: 'check', tone: 'ok' },
  withdrawal_requested: null,
  withdrawal_postponed: { icon: 'retrying', tone: 'warn' },
  withdrawn: { icon: 'takenBack', tone: 'idle' },
  not_sent: { icon: 'takenBack', tone: 'idle' },
  withdraw_failed: { icon: 'failed', tone: 'fail' },
  withdrawal_left: { icon: 'check', tone: 'idle' },
  edit_requested: null,
  edit_postponed: { icon: 'retrying', tone: 'warn' },
  edited: { icon: 'compose', tone: 'ok' },
  edit_failed: { icon: 'onHold', tone: 'warn' },
  edit_left: { icon: 'check', tone: 'idle' },
  pinned: { icon: 'check', tone: 'ok' },
  not_pinned: { icon: 'onHold', tone: 'warn' },
  notice: null,
  wait: { icon: 'waiting', tone: 'idle' },
  now: null,
};

const KINDS: Readonly<Record<string, StepKind>> = {
  PublicationStarted: 'attempt',
  PublicationSucceeded: 'published',
  PublicationFailed: 'failed',
  PublicationInDoubt: 'in_doubt',
  PublicationFiltered: 'filtered',
  PublicationHeld: 'quota',
  PublicationResent: 'resent',
  PublicationDismissed: 'dismissed',
  PublicationWithdrawalRequested: 'withdrawal_requested',
  PublicationWithdrawalPostponed: 'withdrawal_postponed',
  PublicationWithdrawn: 'withdrawn',
  PublicationWithdrawalFailed: 'withdraw_failed',
  PublicationWithdrawalDropped: 'withdrawal_left',
  PublicationEditRequested: 'edit_requested',
  PublicationEditPostponed: 'edit_postponed',
  PublicationEdited: 'edited',
  PublicationEditFailed: 'edit_failed',
  PublicationEditDropped: 'edit_left',
  PublicationPinned: 'pinned',
  PublicationPinFailed: 'not_pinned',
  PublicationDuplicateFound: 'duplicate',
  PublicationDuplicateDismissed: 'duplicate_dismissed',
  PostApproved: 'approved',
  PostRejected: 'rejected',
  PostRevised: 'revised',
  PostRescheduled: 'rescheduled',
  PlannedPublicationsCancelled: 'cancelled',
};

const POSTPONED: Readonly<Record<string, StepKind>> = {
  retry: 'retry',
  platform_limit: 'slowed',
  needs_attention: 'refused',
  interrupted: 'interrupted',
};

/** Minimum length of a wait that gets its own line, in ms. */
const NOTABLE_WAIT = 2_000;

/** Returns a member of an event's data; undefined if it is absent or the event was erased. */
export const member = (event: Pick<TraceEvent, 'data'> | null, name: string): unknown =>
  typeof event?.data === 'object' && event.data !== null
    ? (event.data as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** Returns a string or number from an event's data as a string; null if there is none. */
export const textMember = (event: Pick<TraceEvent, 'data'> | null, name: string): string | null => {
  const value = member(event, name);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
};

/** Events of a post that concern only the publications that they name. */
const NAMES_PUBLICATIONS = new Set(['PostWithdrawn', 'PlannedPublicationsCancelled']);

/** Returns the events of a trace that concern one publication: its own, those of its post, and notices about it. */
export const eventsOf = (
  events: readonly TraceEvent[],
  { id, post_id: postId }: Pick<Publication, 'id' | 'post_id'>,
): readonly TraceEvent[] =>
  events.filter((event) => {
    if (event.aggregate === 'publication') return event.aggregate_id === id;
    if (event.aggregate === 'post')
      return event.aggregate_id === postId && (!NAMES_PUBLICATIONS.has(event.type) || isNamed(event, id));
    if (event.aggregate !== 'notice') return false;
    const subject = member(event, 'subject') as { readonly publicationId?: unknown } | undefined;
    return subject?.publicationId === id;
  });

/** Returns whether an event of the post names a publication. */
const isNamed = (event: TraceEvent, id: string): boolean =>
  ((member(event, 'publicationIds') ?? []) as readonly unknown[]).includes(id);

const kindOf = (event: TraceEvent): StepKind | null => {
  // Once a post is released, its publications record the request themselves.
  if (event.type === 'PostWithdrawn') return member(event, 'wasPlanned') === true ? 'withdrawal_requested' : null;
  if (event.aggregate === 'notice') return event.type === 'NoticeRaised' ? 'notice' : null;
  if (event.type === 'PublicationPostponed') return POSTPONED[textMember(event, 'rule') ?? ''] ?? 'retry';
  return KINDS[event.type] ?? null;
};

const DECIDED = new Set(['PublicationInDoubt', 'PublicationFailed', 'PublicationWithdrawalFailed']);
const NAMES_RULE = new Set([
  'PublicationPostponed',
  'PublicationHeld',
  'PublicationWithdrawalPostponed',
  'PublicationEditPostponed',
]);

/** Returns the rule behind the wait that follows an event; `decision` if a person must decide. */
const ruleAfter = (event: TraceEvent): string | null => {
  if (DECIDED.has(event.type)) return 'decision';
  return NAMES_RULE.has(event.type) ? textMember(event, 'rule') : null;
};

/** What a post waits for between two of its events. */
interface PlanState {
  readonly needsApproval: boolean;
  readonly hasTime: boolean;
}

/** Returns what a post waits for after an event. */
const planAfter = (event: TraceEvent, plan: PlanState): PlanState => {
  const hasTime = (data: unknown): boolean => {
    const { publishAt, isReleased } = (data ?? {}) as { readonly publishAt?: unknown; readonly isReleased?: unknown };
    return typeof publishAt === 'number' && isReleased !== true;
  };
  switch (event.type) {
    case 'PostAccepted':
      return { needsApproval: false, hasTime: hasTime(member(event, 'plan')) };
    case 'PostRevised':
    case 'PostRescheduled':
      return { ...plan, hasTime: hasTime(event.data) };
    case 'PostApprovalRequested':
      return { ...plan, needsApproval: true };
    case 'PostApproved':
    case 'PostRejected':
    case 'PostReleased':
      return { ...plan, needsApproval: false };
    default:
      return plan;
  }
};

/** Events of a post after which it may wait for its time. */
const MAY_WAIT = new Set(['PostAccepted', 'PostApproved', 'PostRevised', 'PostRescheduled']);

/** Returns the wait between two events. @param plan what the post waited for between them */
const waitBetween = (before: TraceEvent, event: TraceEvent, plan: PlanState): Wait => {
  const length = Date.parse(event.at) - Date.parse(before.at);
  const isDecision = event.type === 'PostApproved' || event.type === 'PostRejected';
  if (plan.needsApproval) return { length, rule: 'approval', ...(isDecision && { by: event }) };
  const isForTime = plan.hasTime && MAY_WAIT.has(before.type) && event.type === 'PublicationStarted';
  return { length, rule: isForTime ? 'scheduled' : ruleAfter(before) };
};

const LIVE_STATES: readonly Publication['state'][] = [
  'queued',
  'publishing',
  'in_doubt',
  'withdrawing',
  'withdraw_failed',
];

/** True for a step that a person or a notice caused, rather than an attempt. */
const isAsked = (kind: StepKind): boolean =>
  kind === 'notice' || kind === 'withdrawal_requested' || kind === 'edit_requested' || kind === 'edit_failed';

/** Returns what a dismissal means after the steps before it. */
const kindOfDismissal = (steps: readonly Step[], before: TraceEvent | null): StepKind => {
  const isTakenBack = steps.some(({ kind }) => kind === 'withdrawal_requested');
  if (isTakenBack) return 'not_sent';
  if (before?.type === 'PublicationInDoubt') return 'settled';
  return before?.type === 'PublicationFailed' ? 'dismissed' : 'cancelled';
};

/**
 * Returns the story of a publication, oldest step first: its events, the waits between them, and, if it is queued, being
 * sent, in doubt or being taken back, its current state.
 * @param events the events that concern the publication, oldest first
 */
export const buildStory = (events: readonly TraceEvent[], publication: Pick<Publication, 'state'>): readonly Step[] => {
  const steps: Step[] = [];
  const add = (kind: StepKind, event: TraceEvent | null, rest: Partial<Step> = {}): void => {
    const key = `${event?.id ?? 'now'} ${kind}`;
    const attempt = event === null ? null : Number(member(event, 'attempt') ?? 0) || null;
    steps.push({ key, kind, at: event?.at ?? null, event, attempt, done: [], wait: null, ...rest });
  };
  let before: TraceEvent | null = null;
  let plan: PlanState = { needsApproval: false, hasTime: false };
  for (const event of events) {
    const planBefore = plan;
    plan = planAfter(event, plan);
    if (event.type === 'PostAccepted') {
      add('requested', event);
      add('accepted', event);
      before = event;
      continue;
    }
    const completed = event.type === 'PublicationStepCompleted' ? textMember(event, 'step') : null;
    const attempt = steps.findLast(({ kind }) => kind === 'attempt');
    if (completed !== null && attempt)
      steps[steps.indexOf(attempt)] = { ...attempt, done: [...attempt.done, completed] };
    const kind = kindOf(event);
    if (kind === null) continue;
    // Time between the start and end of an attempt is not a wait, nor is the time until a change is asked for.
    const isWait = before?.type !== 'PublicationStarted' && !isAsked(kind);
    const wait = before && isWait ? waitBetween(before, event, planBefore) : null;
    if (before && wait && wait.length >= NOTABLE_WAIT)
      add('wait', null, { key: `${before.id} wait`, at: before.at, wait });
    add(kind === 'dismissed' ? kindOfDismissal(steps, before) : kind, event);
    if (kind !== 'notice') before = event;
  }
  if (LIVE_STATES.includes(publication.state)) add('now', null);
  return steps;
};
