import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EditedPost } from '../../commands/post/edit-posts.js';
import type { Replay } from '../../commands/post/key-claims.js';
import type { ChangedPost } from '../../commands/post/planned-posts.js';
import type { WithdrawnPost } from '../../commands/post/withdraw-posts.js';
import type { PublicationError } from '../../domain/publication/publication.events.js';
import { iso, isoOrNull } from '../../kernel/clock.js';
import type { DiscoveredProject } from '../../projections/discovery/discovery.queries.js';
import { approvalOf, type EndpointPost, type PlanHold } from '../../projections/posts/post-details.queries.js';
import {
  listRemaining,
  type PostApproval,
  type PublicationRow,
  type PublicationViewState,
} from '../../projections/posts/posts.tables.js';
import { findDueWait, type Hold, type ScheduledWithHold } from '../../projections/publish-schedule/holds.queries.js';
import type { StatisticsView } from '../../statistics/statistics.queries.js';
import type { ArchivedListView } from '../transport/fields.js';
import { type CanView, editOf, type EditView, WithdrawalStatusView } from './change.views.js';
import type { ContentWarningView } from './content-edits.js';
import type { AnsweredPost, ReceivedPost } from './gate/gate.js';
import type { ParsedPost } from './gate/parsed-post.js';
import type { RequestLogEntry } from './gate/request-recorder.js';
import { WAITING_MESSAGES as TEXTS } from './messages.js';
import type { PreviewCallView } from './sandbox/sandbox.view.js';

/** The approval of a post (D-62). */
export class ApprovalView {
  readonly state: PostApproval['state'];
  /** Author of the decision: `operator`, `owner:own_…`; null while it is pending. */
  readonly by: string | null;
  /** ISO 8601, UTC; null while it is pending. */
  readonly at: string | null;
  /** The approval note or the rejection reason. */
  readonly note: string | null;

  constructor({ state, by, at, note }: PostApproval) {
    this.state = state;
    this.by = by;
    this.at = isoOrNull(at);
    this.note = note;
  }
}

/** A planned post after a change (D-63). */
export class ChangedPostView {
  /** Always true. */
  readonly ok = true;
  /** `post_…` */
  readonly id: string;
  /** The time that the post is planned for, or was planned for before its release (ISO 8601, UTC); null if none. */
  readonly publish_at: string | null;
  /** `released` if the change released the post. */
  readonly state: 'planned' | 'released';
  /** Revision of the content and plan, as in `ETag`; it increases by one with each change. */
  readonly revision: number;
  /** The number of channels that the post goes to. */
  readonly queued_targets: number;

  constructor({ state }: ChangedPost) {
    this.id = state.postId;
    this.publish_at = isoOrNull(state.publishAt);
    this.state = state.status === 'released' ? 'released' : 'planned';
    this.revision = state.revision;
    this.queued_targets = state.targets.length;
  }
}

/** The result of cancelling a post's planned or queued publications. */
export class CancelledView {
  /** Always true. */
  readonly ok = true;
  constructor(
    /** `post_…` */
    readonly id: string,
    /** The number of publications that were cancelled. */
    readonly cancelled: number,
  ) {}
}

/** The response to an accepted post and to its replays (publish-api.md: Publish response; D-9, D-10). */
export class PublishView {
  /** Always true. */
  readonly ok = true;
  /** The post id; null if no post was created because the endpoint has no project. */
  readonly id: string | null;
  /** `trace_id` of the body; null if it had none. */
  readonly trace_id: string | null;
  /** The number of channels that the post goes to. */
  readonly queued_targets: number;

  /**
   * The time that the post is planned for, ISO 8601, UTC; null if it only waits for approval. Absent unless the post is
   * planned.
   */
  readonly publish_at?: string | null;
  /** Absent unless the post waits for its release. */
  readonly state?: 'planned';

  constructor({ postId, traceId, queuedTargets, planned }: Replay['answer']) {
    this.id = postId;
    this.trace_id = traceId;
    this.queued_targets = queuedTargets;
    if (!planned) return;
    this.publish_at = isoOrNull(planned.publishAt);
    this.state = 'planned';
  }
}

/** Responds to a publish request and completes its log entry (publish-api.md: POST /v1/webhooks/{slug}). */
export const answerPost = (request: FastifyRequest, reply: FastifyReply, { post, result }: ReceivedPost): void => {
  recordResult(request.logEntry!, result, post);
  if (result.outcome !== 'replay') return void reply.send(serializeAnswer(result.answer));
  void reply.code(202);
  if (isMismatch(result.replay, post)) void reply.header('idempotency-payload-mismatch', 'true');
  void reply.send(serializeAnswer(result.replay.answer));
};

/** Serializes the response body. A replay must have the same bytes as the original (D-9, D-10). */
const serializeAnswer = (answer: Replay['answer']): string => JSON.stringify(new PublishView(answer));

/** True if a known key was sent with a different payload (D-19). */
const isMismatch = (replay: Replay, post: ParsedPost): boolean => replay.bodyHash !== post.bodyHash;

const recordResult = (logEntry: RequestLogEntry, result: AnsweredPost, post: ParsedPost): void => {
  if (result.outcome !== 'replay') {
    logEntry.decision = result.outcome;
    logEntry.postId = result.answer.postId;
    // The event that records the post or its keys also stores the log entry.
    logEntry.isStored = result.outcome === 'accepted' || post.keys.length > 0;
    return;
  }
  const { answer, eventId, at, keys } = result.replay;
  const mismatch = isMismatch(result.replay, post);
  logEntry.decision = 'accepted_idempotent_replay';
  logEntry.reason = mismatch ? 'payload_mismatch' : null;
  const figures = { keys, first_at: iso(at), payload_mismatch: mismatch };
  logEntry.why = { rule: 'idempotency_key', figures, event_id: eventId };
  logEntry.postId = answer.postId;
};

/**
 * The reason why a publication waits, for the client of its endpoint (D-66). It never mentions a channel, a project or
 * an id.
 */
export class WaitingView {
  /** Null if no rule holds it back: it is next on its channel. */
  readonly rule: Hold['rule'] | PlanHold['rule'] | null;
  /** ISO 8601, UTC; null if the end is not known. */
  readonly until: string | null;
  /** Human-readable sentence. */
  readonly text: string;

  /**
   * @param scheduled undefined while the schedule and the posts read model briefly disagree
   * @param plan what a planned post waits for; null if its post is released
   */
  constructor(scheduled: ScheduledWithHold | undefined, plan: PlanHold | null = null) {
    if (plan) {
      this.rule = plan.rule;
      this.until = isoOrNull(plan.until);
      this.text = describePlan(plan);
      return;
    }
    const hold = scheduled?.hold;
    const { rule, until } = hold ?? findDueWait(scheduled?.publication);
    this.rule = rule;
    this.until = isoOrNull(until);
    if (hold) this.text = TEXTS.rules[hold.rule]({ when: until === null ? '' : TEXTS.until({ until: iso(until) }) });
    else this.text = rule === 'retry' ? TEXTS.retryDue : TEXTS.next;
  }
}

const describePlan = ({ rule, publishAt }: PlanHold): string => {
  if (rule === 'restored') return TEXTS.restored;
  if (rule === 'scheduled') return TEXTS.scheduled({ at: String(isoOrNull(publishAt)) });
  return publishAt === null ? TEXTS.approval : TEXTS.approvalAndTime({ at: iso(publishAt) });
};

/** A publication, as shown to the client of the post's endpoint (D-48). */
export class PublicationStatusView {
  /**
   * Zero-based position of the project in the discovery list, or its name if discovery is verbose; null if it is no
   * longer listed.
   */
  readonly project: number | string | null;
  /** Position of the channel in the project's list, or its name; the same rules apply. */
  readonly target: number | string | null;
  readonly platform: string;
  readonly state: PublicationViewState;
  /** Ids of the network's messages. */
  readonly message_ids: readonly string[];
  readonly urls: readonly string[];
  /** ISO 8601, UTC; null if it is not published. */
  readonly published_at: string | null;
  /** Error of the latest attempt (D-35); null if there was none. */
  readonly error: PublicationError | null;
  /** The reason why it waits (D-66); null unless it is planned or queued. */
  readonly waiting_for: WaitingView | null;
  /** The latest take-back; null if there was none. */
  readonly withdrawal: WithdrawalStatusView | null;
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

  constructor(
    row: PublicationRow,
    scheduled: ScheduledWithHold | undefined,
    projects: readonly DiscoveredProject[],
    isVerbose: boolean,
    plan: PlanHold | undefined,
    can: CanView,
    statistics: StatisticsView,
  ) {
    const index = projects.findIndex(({ project_id }) => project_id === row.project_id);
    const project = projects[index];
    const place = project?.targets.findIndex(({ channel_id }) => channel_id === row.channel_id) ?? -1;
    const target = project?.targets[place];
    this.project = project === undefined ? null : isVerbose ? project.name : index;
    this.target = target === undefined ? null : isVerbose ? target.name : place;
    this.platform = row.platform;
    this.state = row.state;
    this.message_ids = row.message_ids;
    this.urls = row.urls;
    this.published_at = isoOrNull(row.published_at);
    this.error = row.attempts.at(-1)?.error ?? null;
    this.waiting_for = row.state === 'queued' ? new WaitingView(scheduled) : null;
    if (row.state === 'planned' && plan) this.waiting_for = new WaitingView(undefined, plan);
    this.withdrawal = row.withdrawal && new WithdrawalStatusView(row.withdrawal, listRemaining(row));
    this.content_version = row.published_at === null ? null : row.content_version;
    this.edited_at = isoOrNull(row.edited_at);
    this.edit = editOf(row);
    this.pinned = row.is_pinned;
    this.can = can;
    this.statistics = statistics;
  }
}

/**
 * The state of a post, as shown to its endpoint's client (publish-api.md: GET /v1/webhooks/{slug}/posts/{post_id};
 * D-48).
 */
export class PostStatusView {
  /** Always true. */
  readonly ok = true;
  /** `post_…` */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly accepted_at: string;
  readonly trace_id: string | null;
  readonly external_id: string | null;
  /** The time that it was planned for, ISO 8601, UTC; null if none was given. */
  readonly publish_at: string | null;
  /**
   * Time at which its publications entered their queues, ISO 8601, UTC; null if they have not, or if the post ended
   * first.
   */
  readonly released_at: string | null;
  /** Null if no approval was required. */
  readonly approval: ApprovalView | null;
  /** Revision of its content and plan, which starts at 1 and increases by one with each change. */
  readonly revision: number;
  /** One per target, in discovery order (D-57). */
  readonly publications: readonly PublicationStatusView[];

  /**
   * @param holds the schedule's entries for its queued publications, by publication id
   * @param plan what the post waits for; undefined if it is not planned
   */
  constructor(
    { post, publications }: EndpointPost,
    holds: ReadonlyMap<string, ScheduledWithHold>,
    plan: PlanHold | undefined,
    projects: readonly DiscoveredProject[],
    isVerbose: boolean,
    can: ReadonlyMap<string, CanView>,
    statistics: ReadonlyMap<string, StatisticsView>,
  ) {
    this.id = post.post_id;
    this.accepted_at = iso(post.accepted_at);
    this.trace_id = post.trace_id;
    this.external_id = post.external_id;
    this.publish_at = isoOrNull(post.publish_at);
    this.released_at = isoOrNull(post.released_at);
    const approval = approvalOf(post);
    this.approval = approval && new ApprovalView(approval);
    this.revision = post.version;
    this.publications = publications.map(
      (row) =>
        new PublicationStatusView(
          row,
          holds.get(row.publication_id),
          projects,
          isVerbose,
          plan,
          can.get(row.publication_id)!,
          statistics.get(row.publication_id)!,
        ),
    );
  }
}

/** The result of taking a post back (D-69). The numbers count publications. */
export class WithdrawnPostStatusView {
  /** Always true. */
  readonly ok = true;
  /** `post_…` */
  readonly id: string;
  /** Readers may still see these; their messages are being deleted. */
  readonly withdrawing: number;
  /** These were never published, and never will be. */
  readonly cancelled: number;
  /** There was nothing to take back, or it was taken back before. */
  readonly unchanged: number;
  readonly publications: readonly PublicationStatusView[];

  constructor({ withdrawing, cancelled, unchanged }: WithdrawnPost, { id, publications }: PostStatusView) {
    this.id = id;
    this.withdrawing = withdrawing;
    this.cancelled = cancelled;
    this.unchanged = unchanged;
    this.publications = publications;
  }
}

/** A publication in the answer to an edit. */
export class EditedPublicationStatusView extends PublicationStatusView {
  /** The calls that the edit would make; only in the answer to a dry run. */
  readonly requests?: readonly PreviewCallView[];
}

/** The result of giving a post new content (D-72). */
export class EditedPostStatusView {
  /** Always true. */
  readonly ok = true;
  /** `post_…` */
  readonly id: string;
  /** Revision of the post's content and plan, as in `ETag`. */
  readonly revision: number;
  readonly state: 'planned' | 'released';
  readonly publications: readonly EditedPublicationStatusView[];
  readonly warnings: readonly ContentWarningView[];

  constructor(
    { revision, state }: EditedPost,
    { id, publications }: Pick<PostStatusView, 'id'> & Pick<EditedPostStatusView, 'publications'>,
    warnings: readonly ContentWarningView[],
  ) {
    this.id = id;
    this.revision = revision;
    this.state = state === 'planned' ? 'planned' : 'released';
    this.publications = publications;
    this.warnings = warnings;
  }
}

/** A page of an endpoint's posts (D-65). */
export class PostStatusListView {
  /** Always true. */
  readonly ok = true;
  readonly items: readonly PostStatusView[];
  /** Cursor of the next page; null on the last page. */
  readonly next: string | null;
  /** ISO 8601; only on the last page, if older posts are archived: they are still found by their ids (D-101). */
  readonly archived_before?: string;

  constructor({ items, next, archived_before }: ArchivedListView<PostStatusView>) {
    this.items = items;
    this.next = next;
    if (archived_before !== undefined) this.archived_before = archived_before;
  }
}
