import { AGGREGATE_NAMES } from '../../../history/aggregates/catalogue.js';
import type { HistoricEvent } from '../../../history/read-log.js';
import type { AuthoredChange, TimeRange } from '../../../history/time-travel/diff.js';
import type {
  ChangeOfAggregate,
  PastDifferences,
  PastOverview,
  PastResource,
} from '../../../history/time-travel/owner-time-travel.js';
import type { DiffEnd, PastAggregate, PastDifference } from '../../../history/time-travel/time-travel.js';
import type { StoryRequest } from '../../../history/trace/traces.js';
import { type Instant, iso } from '../../../kernel/clock.js';
import type { Json, JsonObject } from '../../../kernel/ids.js';
import { oneOf } from '../../../kernel/message.js';
import { AUDITED_AGGREGATES, AUDITED_TYPES } from '../../../projections/audit/audit.tables.js';
import { Schema } from '../../../validation/json-schema.js';
import { FIELD_MESSAGES } from '../../../validation/messages.js';
import { Must } from '../../../validation/rules.js';
import { describeValue, type FieldProblem } from '../../../validation/wording.js';
import { isCursorOf, isLimit, PageQuery } from '../../transport/fields.js';
import { ID_PATTERN, isTime } from '../common-fields.js';

/** An id, or the name of a projection. */
const AUDITED_ID = /^[\w-]{1,64}$/;
const REVISION = /^\d{1,15}$/;

/** Query parameters of an aggregate's history. */
export class AggregateHistoryQuery {
  /** Shows the aggregate as it was at this time. */
  @isTime()
  readonly at: string | undefined;

  /** Shows the aggregate as it was after this revision. */
  @Must.match(REVISION, 'a revision: a whole number from 0')
  readonly revision: string | undefined;

  /** Revision of the first event to show. */
  @Must.match(REVISION, 'a revision: a whole number from 0')
  readonly from: string | undefined;

  /** Maximum number of events to show. */
  @isLimit()
  readonly limit: string | undefined;
}

/** Query parameters for comparing an aggregate between two points in time. */
export class DiffQuery {
  @Schema.required()
  @isTime()
  readonly from: string | undefined;

  /** Default: now. */
  @isTime()
  readonly to: string | undefined;
}

/** Query parameters for comparing an owner's endpoints, channels, projects and pauses between two points in time. */
export class OwnerDiffQuery extends DiffQuery {
  /** Operators may omit it to compare all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}

/** Query parameters for listing the endpoints, channels, projects and pauses at a given time. */
export class OverviewQuery {
  /** Default: now. */
  @isTime()
  readonly at: string | undefined;

  /** Operators may omit it to see all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}

const FILTERED = [...new Set([...AGGREGATE_NAMES, ...AUDITED_AGGREGATES])];
const AGGREGATES_PATTERN = `^(${FILTERED.join('|')})(,(${FILTERED.join('|')}))*$`;

const aggregatesComplaint = (value: unknown): FieldProblem | undefined => {
  const unknown = String(value)
    .split(',')
    .find((name) => !FILTERED.includes(name));
  if (unknown === undefined) return undefined;
  const predicate = FIELD_MESSAGES.notOneOf({ values: oneOf(FILTERED), value: describeValue(unknown) });
  return { code: 'unknown_value', predicate };
};

/** Query parameters of the audit trail. */
export class AuditQuery extends PageQuery {
  @isCursorOf('position')
  declare readonly cursor: string | undefined;

  /** Operators may omit it to see the events of all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  /** Only events of aggregates of this type, or of these types, separated by commas. */
  @Must.beAllowedBy(aggregatesComplaint, { type: 'string', pattern: AGGREGATES_PATTERN })
  readonly aggregate: string | undefined;

  /** Only events of the aggregates with this id; a channel and its pauses share an id. */
  @Must.match(AUDITED_ID, 'an id such as tgt_…')
  readonly id: string | undefined;

  /** Only events by this author. */
  @Must.match(
    /^(operator|(owner|key|endpoint|system):[\w-]{1,80})$/,
    'an actor such as operator, owner:own_… or endpoint:ep_…',
  )
  readonly actor: string | undefined;

  /** Only events of this type. */
  @Must.beOneOf(AUDITED_TYPES)
  readonly type: string | undefined;

  /** Only events from this time on. */
  @isTime()
  readonly since: string | undefined;

  /** Only events before this time. */
  @isTime()
  readonly until: string | undefined;
}

/** An event (management-api.md: `GET /history`). Ids of erased secrets in `data` are `erased`. */
export class HistoricEventView {
  readonly id: string;
  readonly type: string;
  /** Version of the format in which the event was written; `data` is always in the current format. */
  readonly version: number;
  /** Name of the event's stream. With `revision` and `hash`, it forms the event's entry in the transparency log. */
  readonly stream: string;
  /** Number of the event in its stream, from 0. */
  readonly revision: number;
  /** Global position of the event; a string, because it may exceed JavaScript's safe integer range. */
  readonly position: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
  /** Name of the actor's key at that time; null unless a named key acted. */
  readonly actor_name: string | null;
  /** Empty if no request started the work. */
  readonly request_id: string;
  readonly causation_id: string;
  readonly correlation_id: string;
  /** The client's address; null if no request caused the event directly. */
  readonly ip: string | null;
  /** `erased` if the event was deleted because nothing needed it any more. */
  readonly data: unknown;
  /** True if the content of the event was erased: the members of `data` that held it are null; otherwise absent. */
  readonly content_erased?: true;
  /**
   * The data as it is stored, with its content sealed; absent if nothing in it is sealed. The hash then covers this form,
   * and null as the address.
   */
  readonly sealed?: unknown;
  /** SHA-256 (hex), chained to the previous event in its stream. */
  readonly hash: string;

  constructor(event: HistoricEvent) {
    this.id = event.id;
    this.type = event.type;
    this.version = event.version;
    this.stream = event.stream;
    this.revision = Number(event.revision);
    this.position = String(event.position);
    this.at = iso(event.at);
    this.actor = event.actor;
    this.actor_name = event.actorName ?? null;
    this.request_id = event.requestId;
    this.causation_id = event.causationId;
    this.correlation_id = event.correlationId;
    this.ip = event.clientAddress;
    this.data = event.data;
    if (event.contentErased) this.content_erased = true;
    if (event.sealedData !== undefined) this.sealed = JSON.parse(event.sealedData);
    this.hash = event.hash;
  }
}

/** An event in the audit trail or in a trace. */
export class AuditedEventView extends HistoricEventView {
  /** Type of the aggregate that the event belongs to, such as `channel`. */
  readonly aggregate: string;
  /** Null for an event that concerns only an idempotency key. */
  readonly aggregate_id: string | null;

  constructor(event: HistoricEvent) {
    super(event);
    this.aggregate = event.thing.aggregate;
    this.aggregate_id = event.thing.id;
  }
}

/** Returns the post that an event is about, or whose publication or notice it is about; null if there is none. */
export const postOf = ({ data }: Pick<HistoricEvent, 'data'>): string | null => {
  const { postId, subject } = (data ?? {}) as { postId?: unknown; subject?: { postId?: unknown } };
  const id = postId ?? subject?.postId;
  return typeof id === 'string' ? id : null;
};

/** An event in the audit trail, with the post that it is about. */
export class ListedEventView extends AuditedEventView {
  /** Null for an event that is not about a post. */
  readonly post_id: string | null;
  /** The first 120 characters of that post's text. */
  readonly excerpt: string | null;

  /** @param excerpts by post id */
  constructor(event: HistoricEvent, excerpts: ReadonlyMap<string, string | null>) {
    super(event);
    this.post_id = postOf(event);
    this.excerpt = this.post_id === null ? null : (excerpts.get(this.post_id) ?? null);
  }
}

/** An aggregate as it was at a given time or after a given revision. */
export class AggregateHistoryView {
  readonly aggregate: string;
  readonly id: string;
  /** The requested time, by default now; with `revision`, the time of that event. */
  readonly at: string;
  readonly state: JsonObject;
  /** Revision of the last event up to that time or revision. */
  readonly revision: number;
  /** The latest change to each member of `state`: author, time, address, and the value before. */
  readonly changed: object;
  /** Oldest first. */
  readonly events: readonly HistoricEventView[];
  /** `from` for the next page of events; null on the last page. */
  readonly next: number | null;

  constructor(
    aggregate: string,
    id: string,
    at: Instant,
    { state, revision, changes }: PastAggregate,
    events: readonly HistoricEvent[],
  ) {
    this.aggregate = aggregate;
    this.id = id;
    this.at = iso(at);
    this.state = state;
    this.revision = Number(revision);
    this.changed = changes;
    this.events = events.map((event) => new HistoricEventView(event));
    const last = events.at(-1);
    this.next = last !== undefined && last.revision < revision ? Number(last.revision) + 1 : null;
  }
}

/** One of the two points in time that are compared, with the aggregate's revision at that time. */
export class DiffEndView {
  readonly at: string;
  /** Null if the aggregate did not exist yet. */
  readonly revision: number | null;

  constructor({ at, revision }: DiffEnd) {
    this.at = iso(at);
    this.revision = revision === null ? null : Number(revision);
  }
}

/** A member of the state that differs between the two times, with the last event that changed it. */
export class ChangeView {
  /** JSON Pointer into `state`. */
  readonly path: string;
  /** Also null if the member was absent. */
  readonly before: Json;
  readonly after: Json;
  readonly event_id: string;
  readonly at: string;
  readonly actor: string;

  constructor({ path, before, after, event }: AuthoredChange) {
    this.path = path;
    this.before = before;
    this.after = after;
    this.event_id = event.id;
    this.at = iso(event.at);
    this.actor = event.actor;
  }
}

/** The differences in an aggregate's state between two points in time. */
export class DiffView {
  readonly aggregate: string;
  readonly id: string;
  readonly from: DiffEndView;
  readonly to: DiffEndView;
  readonly changes: readonly ChangeView[];

  constructor(aggregate: string, id: string, { from, to, changes }: PastDifference) {
    this.aggregate = aggregate;
    this.id = id;
    this.from = new DiffEndView(from);
    this.to = new DiffEndView(to);
    this.changes = changes.map((change) => new ChangeView(change));
  }
}

/** The request that started a story. */
export class StoryRequestView {
  readonly id: string;
  readonly at: string;
  /** Actor whose key was used for the request. */
  readonly actor: string;
  /** Name of the endpoint or the named key at that time; null if the request used neither. */
  readonly key_name: string | null;
  readonly ip: string;

  constructor({ id, at, actor, keyName, ip }: StoryRequest) {
    this.id = id;
    this.at = iso(at);
    this.actor = actor;
    this.key_name = keyName;
    this.ip = ip;
  }
}

/** All events with the same origin, and the request that started them. */
export class TraceView {
  readonly id: string;
  /** Null if no request started it. */
  readonly request: StoryRequestView | null;
  /** Oldest first. */
  readonly events: readonly AuditedEventView[];

  constructor(id: string, request: StoryRequest | null, events: readonly HistoricEvent[]) {
    this.id = id;
    this.request = request && new StoryRequestView(request);
    this.events = events.map((event) => new AuditedEventView(event));
  }
}

/** A change to one of many aggregates. */
export class ChangeOfAggregateView extends ChangeView {
  /** Type of the aggregate that changed, such as `channel`. */
  readonly aggregate: string;
  /** Id of the aggregate; for pauses, the id of the project or channel. */
  readonly id: string;

  constructor(change: ChangeOfAggregate) {
    super(change);
    this.aggregate = change.aggregate;
    this.id = change.id;
  }
}

/** One of the two points in time that are compared. */
export interface OwnerDiffEndView {
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** The changes to all endpoints, channels, projects and pauses between two points in time. */
export class OwnerDiffView {
  readonly from: OwnerDiffEndView;
  readonly to: OwnerDiffEndView;
  /** At most 1,000, in this order: endpoints, channels, projects, project pauses, channel pauses. */
  readonly changes: readonly ChangeOfAggregateView[];
  /** True if there are more changes. */
  readonly truncated: boolean;

  constructor({ from, to }: TimeRange, { changes, isTruncated }: PastDifferences) {
    this.from = { at: iso(from) };
    this.to = { at: iso(to) };
    this.changes = changes.map((change) => new ChangeOfAggregateView(change));
    this.truncated = isTruncated;
  }
}

/** The past state of an endpoint, channel or project, or of a pause. */
export class PastResourceView {
  /** Id of the endpoint, project or channel. */
  readonly id: string;
  readonly revision: number;
  readonly state: JsonObject;

  constructor({ id, revision, state }: PastResource) {
    this.id = id;
    this.revision = Number(revision);
    this.state = state;
  }
}

/** All endpoints, channels, projects and pauses at a given time. */
export class OverviewView {
  readonly at: string;
  readonly endpoints: readonly PastResourceView[];
  readonly channels: readonly PastResourceView[];
  readonly projects: readonly PastResourceView[];
  readonly project_pauses: readonly PastResourceView[];
  readonly channel_pauses: readonly PastResourceView[];

  constructor(at: Instant, { endpoints, channels, projects, projectPauses, channelPauses }: PastOverview) {
    const show = (each: PastResource) => new PastResourceView(each);
    this.at = iso(at);
    this.endpoints = endpoints.map(show);
    this.channels = channels.map(show);
    this.projects = projects.map(show);
    this.project_pauses = projectPauses.map(show);
    this.channel_pauses = channelPauses.map(show);
  }
}
