import type { PublicationError } from '../../domain/publication/publication.events.js';
import { iso, isoOrNull } from '../../kernel/instant.js';
import type { DiscoveredProject } from '../../projections/discovery/endpoint-targets.queries.js';
import type { EndpointPost } from '../../projections/posts/endpoint-post.queries.js';
import { approvalOf, type PlanHold } from '../../projections/posts/post-plans.queries.js';
import type { PublicationRow, PublicationViewState } from '../../projections/posts/posts.tables.js';
import type { ScheduledWithHold } from '../../projections/publish-schedule/holds.queries.js';
import { ApprovalView } from './approval.view.js';
import { WaitingView } from './waiting.view.js';

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

  constructor(
    row: PublicationRow,
    scheduled: ScheduledWithHold | undefined,
    projects: readonly DiscoveredProject[],
    isVerbose: boolean,
    plan: PlanHold | undefined,
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
      (row) => new PublicationStatusView(row, holds.get(row.publication_id), projects, isVerbose, plan),
    );
  }
}

/** A page of an endpoint's posts (D-65). */
export class PostStatusListView {
  /** Always true. */
  readonly ok = true;
  readonly items: readonly PostStatusView[];
  /** Cursor of the next page; null on the last page. */
  readonly next: string | null;

  constructor(items: readonly PostStatusView[], next: string | null) {
    this.items = items;
    this.next = next;
  }
}
