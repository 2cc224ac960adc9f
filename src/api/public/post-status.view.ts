import type { PublicationError } from '../../domain/publication/publication.events.js';
import { iso, isoOrNull } from '../../kernel/instant.js';
import type { DiscoveredProject } from '../../projections/discovery/endpoint-targets.queries.js';
import type { EndpointPost } from '../../projections/posts/endpoint-post.queries.js';
import type { ScheduledWithHold } from '../../projections/publish-schedule/holds.queries.js';
import { WaitingView } from './waiting.view.js';
import type { PublicationRow, PublicationViewState } from '../../projections/posts/posts.tables.js';

/** A publication as the client of the post's endpoint sees it (D-48). */
export class PublicationStatusView {
  /** Place of the project in discovery's list, from 0, or its name if discovery is verbose; null if it is not listed any more. */
  readonly project: number | string | null;
  /** Place of the channel in the project's list, or its name, likewise. */
  readonly target: number | string | null;
  readonly platform: string;
  readonly state: PublicationViewState;
  /** Ids of the network's messages. */
  readonly message_ids: readonly string[];
  readonly urls: readonly string[];
  /** ISO 8601, UTC; null if it is not published. */
  readonly published_at: string | null;
  /** Error of the latest attempt (D-35); null if it had none. */
  readonly error: PublicationError | null;
  /** The reason for which it waits (D-66); null unless it is queued. */
  readonly waiting_for: WaitingView | null;

  constructor(
    row: PublicationRow,
    scheduled: ScheduledWithHold | undefined,
    projects: readonly DiscoveredProject[],
    isVerbose: boolean,
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
  }
}

/** The state of a post for the client of its endpoint (publish-api.md: GET /v1/webhooks/{slug}/posts/{post_id}; D-48). */
export class PostStatusView {
  /** Always true. */
  readonly ok = true;
  /** `post_…` */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly accepted_at: string;
  readonly trace_id: string | null;
  readonly external_id: string | null;
  /** One for each target, in the order of discovery (D-57). */
  readonly publications: readonly PublicationStatusView[];

  /** @param scheduled its publications that have not ended, in the schedule */
  constructor(
    { post, publications }: EndpointPost,
    scheduled: readonly ScheduledWithHold[],
    projects: readonly DiscoveredProject[],
    isVerbose: boolean,
  ) {
    this.id = post.post_id;
    this.accepted_at = iso(post.accepted_at);
    this.trace_id = post.trace_id;
    this.external_id = post.external_id;
    const byId = new Map(scheduled.map((each) => [each.publication.publication_id, each]));
    this.publications = publications.map(
      (row) => new PublicationStatusView(row, byId.get(row.publication_id), projects, isVerbose),
    );
  }
}
