import type { Timeline } from '../../../history/timeline/timeline.js';
import { iso, isoOrNull } from '../../../kernel/instant.js';
import type { PersonChange, StateSpan } from '../../../projections/audit/timeline.queries.js';

/** Event counts for one bucket of the timeline. */
export interface BucketView {
  /** Start of the bucket (ISO 8601, UTC); it ends where the next bucket starts. */
  readonly at: string;
  /** Events of the audit trail. */
  readonly events: number;
  /** Publications that were published. */
  readonly published: number;
  /** Publications that failed. */
  readonly failed: number;
  /** Publications that are in doubt. */
  readonly in_doubt: number;
}

/** A period when a project or channel was paused, a channel needed attention, or an endpoint was disabled. */
export class StateSpanView {
  /** `project_pause`, `channel_pause`, `needs_attention` or `endpoint_disabled`. */
  readonly kind: string;
  /** Id of the project, channel or endpoint. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly from: string;
  /** ISO 8601, UTC. For a current pause, its `paused_until`; null for any other span that has not ended. */
  readonly to: string | null;
  /** Id of the event that started the span. */
  readonly event_id: string;
  /** The author of that event. */
  readonly actor: string;

  constructor({ kind, id, from, to, eventId, actor }: StateSpan) {
    this.kind = kind;
    this.id = id;
    this.from = iso(from);
    this.to = isoOrNull(to);
    this.event_id = eventId;
    this.actor = actor;
  }
}

/** An event whose author is the operator or an owner. */
export class PersonChangeView {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
  /** Type of the event. */
  readonly type: string;
  readonly event_id: string;
  /** Type of the aggregate that the event belongs to, such as `channel`. */
  readonly aggregate: string;
  /** Null for an event that concerns only an idempotency key. */
  readonly aggregate_id: string | null;

  constructor({ at, actor, type, eventId, aggregate, aggregateId }: PersonChange) {
    this.at = iso(at);
    this.actor = actor;
    this.type = type;
    this.event_id = eventId;
    this.aggregate = aggregate;
    this.aggregate_id = aggregateId;
  }
}

/** Event counts over time, with pauses and changes by people. */
export class TicksView {
  /** ISO 8601, UTC: time of the very first event; null if there is none. */
  readonly first_at: string | null;
  /** ISO 8601, UTC. */
  readonly from: string;
  /** ISO 8601, UTC. */
  readonly to: string;
  readonly buckets: readonly BucketView[];
  /** At most 500 spans that overlap the period, in the order in which they started. */
  readonly spans: readonly StateSpanView[];
  /** True if there are more than 500; the longest are shown. */
  readonly spans_truncated: boolean;
  /** At most 500, oldest first. */
  readonly changes: readonly PersonChangeView[];
  /** True if there are more than 500; the latest are shown. */
  readonly changes_truncated: boolean;

  constructor({ firstAt, from, to, buckets, spans, hasMoreSpans, changes, hasMoreChanges }: Timeline) {
    this.first_at = isoOrNull(firstAt);
    this.from = iso(from);
    this.to = iso(to);
    this.buckets = buckets.map(({ at, ...counts }) => ({ at: iso(at), ...counts }));
    this.spans = spans.map((span) => new StateSpanView(span));
    this.spans_truncated = hasMoreSpans;
    this.changes = changes.map((change) => new PersonChangeView(change));
    this.changes_truncated = hasMoreChanges;
  }
}
