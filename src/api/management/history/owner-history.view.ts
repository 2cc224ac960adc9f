import type { TimeRange } from '../../../history/time-travel/comparison.js';
import type {
  ChangeOfAggregate,
  PastDifferences,
  PastOverview,
  PastResource,
} from '../../../history/time-travel/owner-time-travel.js';
import { type Instant, iso } from '../../../kernel/instant.js';
import type { JsonObject } from '../../../kernel/json.js';
import { ChangeView } from './history.view.js';

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
