import type { Plan } from '../../../domain/owner/owner.events.js';
import type { FeedKind } from '../../../projections/activity/activity.tables.js';
import type { PublicationView, WaitingForView } from '../posts/publication.view.js';

/** The owner whose overview is shown. */
export interface OverviewOwner {
  /** `own_…` */
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** Null if unlimited. */
  readonly posts_left: number | null;
  /** Publications that count against this month's quota. */
  readonly posts_used: number;
  /** Start of the next UTC month, when the quota is reset (ISO 8601). */
  readonly resets_at: string;
}

/** Types of problems that need attention, worst first. */
export const ATTENTION_CODES = [
  'withdraw_failed',
  'restored',
  'in_doubt',
  'published_twice',
  'channel_needs_attention',
  'endpoint_disabled',
  'quota_exhausted',
  'publication_failed',
  'edit_failed',
  'webhook_output_disabled',
  'approval_needed',
  'projection_stopped',
  'store_unavailable',
] as const;
/** A type of problem that needs someone's attention. */
export type AttentionCode = (typeof ATTENTION_CODES)[number];

/** Name of the action behind an {@link OverviewActionView}. */
export type ActionLabel =
  'confirm' | 'resolve' | 'retry' | 'enable' | 'view_plan' | 'view_reason' | 'review' | 'view_projection' | 'view_all';

/** The API call that resolves an attention item or shows what must be decided. */
export interface OverviewActionView {
  readonly label_code: ActionLabel;
  readonly method: 'GET' | 'POST';
  /** Relative to `/manage/v1`. */
  readonly path: string;
}

/** Facts about the first id in `ids`, so that clients can write their own sentence; null if not applicable. */
export interface AttentionSubject {
  /** The first id in `ids`; null if `ids` is empty. */
  readonly id: string | null;
  /** Name of the channel, endpoint, owner or projection, or of a post's endpoint; URL of the webhook output. */
  readonly name: string | null;
  readonly owner_id: string | null;
  readonly owner_name: string | null;
  readonly platform: string | null;
  readonly channel_id: string | null;
  readonly channel_name: string | null;
  readonly publication_id: string | null;
  readonly post_id: string | null;
  /** The first 120 characters of the post's text. */
  readonly excerpt: string | null;
  /** Error or refusal code. */
  readonly code: string | null;
  /** The reason. */
  readonly message: string | null;
  /** The network's own message. */
  readonly platform_says: string | null;
  /** Reason why it was disabled: `rate_limits`, `plan`, `gone`, `failures`. */
  readonly disabled_by: string | null;
  /** Queued publications of the channel, up to 10,000. */
  readonly waiting: number | null;
  readonly plan: Plan | null;
  /** ISO 8601, UTC. */
  readonly resets_at: string | null;
  /** Position of the event at which the projection stopped. */
  readonly position: string | null;
  /** Type of that event. */
  readonly event_type: string | null;
}

/** The resources or posts that need attention for one reason. */
export interface AttentionItemView {
  readonly code: AttentionCode;
  /** When the first of these started to need attention (ISO 8601, UTC). */
  readonly since: string;
  /** Total number; posts waiting for approval are counted up to 10,000. */
  readonly count: number;
  /** Publications, posts, channels, endpoints, owners, webhook outputs or projections: at most 20, longest first. */
  readonly ids: readonly string[];
  /** Human-readable sentence. */
  readonly text: string;
  /** Null if no API call would help. */
  readonly action: OverviewActionView | null;
  readonly subject: AttentionSubject;
}

/** States of a network, in order of precedence. */
export type NetworkState = 'in_doubt' | 'held' | 'slowed' | 'going' | 'idle';

/** The traffic of one network. */
export interface NetworkView {
  readonly platform: string;
  /**
   * `in_doubt`: publications are in doubt. `held`: queued publications are waiting for a person or for a pause to end;
   * if all owners are shown, only for a person. `slowed`: the network asked for a delay. `going`: none of these, and
   * something was published within the last hour, is queued or is being published. `idle`: none of the above.
   */
  readonly state: NetworkState;
  /** Number of publications in the last 60 minutes. */
  readonly published_hour: number;
  /** Number of queued publications. */
  readonly waiting: number;
  /** When the oldest queued publication was accepted (ISO 8601, UTC); null if none is queued. */
  readonly oldest_at: string | null;
  /** Earliest known end of a wait (ISO 8601, UTC); null if none is known. */
  readonly next_at: string | null;
  readonly in_doubt: number;
  /** Number of failed publications that await a decision. */
  readonly failed: number;
  /** Number of attempts that the network refused in the last 60 minutes. */
  readonly refused_hour: number;
  /**
   * 95th percentile of the time from acceptance to publication in the last 60 minutes, accurate to 5 %; null if nothing
   * was published.
   */
  readonly p95_seconds: number | null;
  /** ISO 8601, UTC; null if nothing was ever published. */
  readonly last_published_at: string | null;
  /** Publications per five minutes in the last 60 minutes: twelve numbers, oldest first. */
  readonly minutes: readonly number[];
}

/** A channel and its name. */
export interface NamedChannel {
  readonly id: string;
  /** Null if the channel was deleted. */
  readonly name: string | null;
}

/** A waiting publication. */
export type WaitingPublicationView = PublicationView & {
  /** The first 120 characters of the post's text. */
  readonly excerpt: string | null;
  /** ISO 8601, UTC. */
  readonly accepted_at: string;
  readonly channel: NamedChannel;
};

/** Publication counts for one minute. */
export interface MinuteView {
  /** Start of the minute (ISO 8601, UTC). */
  readonly at: string;
  readonly published: number;
  readonly failed: number;
  readonly in_doubt: number;
}

/** Event counts for ten minutes. */
export interface TenMinutesView {
  /** Start of the ten minutes (ISO 8601, UTC). */
  readonly at: string;
  /** All events. */
  readonly events: number;
  readonly failed: number;
  readonly in_doubt: number;
}

/** A recent event. Only the latest event of each publication or resource is shown. */
export interface RecentView {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: FeedKind;
  /** Null for an endpoint or webhook output. */
  readonly platform: string | null;
  readonly publication_id: string | null;
  readonly post_id: string | null;
  /** The first 120 characters of the post's text. */
  readonly excerpt: string | null;
  /** The channel, endpoint or webhook output that stopped working; null for a publication. */
  readonly resource_id: string | null;
  /** Name of the channel or endpoint, or URL of the webhook output. */
  readonly name: string | null;
}

/** The result of checking one part of the gateway. */
export interface CheckView {
  readonly name: 'database' | 'event_store' | 'discovery' | 'read_models' | 'history';
  readonly ok: boolean;
  /** Human-readable sentence. */
  readonly message: string;
  /** For `database`: query time, in ms. */
  readonly latency_ms: number | null;
  /** For `event_store`: position of the newest event. For `history`: number of events in the signed log. */
  readonly position: string | null;
  /** For `read_models`: names of read models that have stopped or are far behind, and of sagas that are stuck. */
  readonly degraded: readonly string[];
}

/** An owner with waiting publications. */
export interface LongestWaitView {
  readonly owner_id: string;
  readonly owner_name: string;
  /** The rule that holds the oldest publication back; null if none does, or the event store cannot be read. */
  readonly rule: WaitingForView['rule'];
  /** The network of the oldest publication. */
  readonly platform: string;
  /** Number of the owner's queued publications, on all networks. */
  readonly posts: number;
  /** When the oldest publication was accepted (ISO 8601, UTC). */
  readonly oldest_at: string;
}

/** The current state: publications, waits, and things that need attention (management-api.md: Overview). */
export interface CurrentOverviewView {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly role: 'owner' | 'operator';
  /** Null if all owners are shown. */
  readonly owner: OverviewOwner | null;
  /** One item per code, worst first. */
  readonly attention: readonly AttentionItemView[];
  /** All networks. */
  readonly networks: readonly NetworkView[];
  /**
   * At most ten, in their expected order: the next publications and the longest-waiting ones. Publications waiting for
   * a person come last.
   */
  readonly waiting: readonly WaitingPublicationView[];
  /** The last 60 minutes, oldest first. */
  readonly minutes: readonly MinuteView[];
  /** The last 144 ten-minute intervals, oldest first. */
  readonly day: readonly TenMinutesView[];
  /** At most 20, newest first. */
  readonly recent: readonly RecentView[];
  /** Null for an owner's key. */
  readonly checks: readonly CheckView[] | null;
  /** Owners whose publications have waited longest, at most ten; null unless all owners are shown. */
  readonly longest: readonly LongestWaitView[] | null;
}
