import { type Promotion, PROMOTIONS } from '../../../commands/projection.js';
import type {
  CandidateStatus,
  ProjectionFailure,
  ProjectionState,
  ProjectionStatus,
} from '../../../projections/engine/projection-status.queries.js';
import { Must } from '../../../validation/rules.js';

/** Body of POST /projections/{name}/rebuild. */
export class RebuildBody {
  /**
   * `auto` (default): the new version becomes live once it has caught up; `manual`: it waits for
   * POST /projections/{name}/promote.
   */
  @Must.beOneOf([...PROMOTIONS])
  readonly promote: Promotion = 'auto';
}

/** Body of POST /projections/{name}/skip. */
export class SkipBody {
  /** The reason why the event may be skipped. It is kept in the history. */
  @Must.beName()
  @Must.bePresent('why the event may be skipped')
  readonly reason!: string;
}

/** The event at which a projection has stopped. */
export class ProjectionErrorView {
  readonly message: string;
  readonly event_id: string;
  readonly position: string;
  readonly type: string;

  constructor({ message, eventId, position, type }: ProjectionFailure) {
    this.message = message;
    this.event_id = eventId;
    this.position = position;
    this.type = type;
  }
}

/** A version that is being built alongside the live one. */
export class CandidateView {
  readonly version: number;
  readonly position: string;
  readonly state: Exclude<ProjectionState, 'live'>;
  /** Events per second. */
  readonly rate: number;
  /** Null until it is known. */
  readonly eta_seconds: number | null;
  /** From 0 to 1. */
  readonly progress: number;

  constructor({ version, position, state, rate, etaSeconds, progress }: CandidateStatus) {
    this.version = version;
    this.position = String(position);
    this.state = state;
    this.rate = rounded(rate);
    this.eta_seconds = etaSeconds;
    this.progress = progress;
  }
}

/** A projection (management-api.md: `GET /projections`). */
export class ProjectionView {
  readonly name: string;
  /** Number of the live version; a rebuild creates the next version. */
  readonly version: number;
  readonly position: string;
  /** Position of the newest event. */
  readonly head: string;
  /** Number of events not applied yet; above a thousand, estimated as the difference between the positions. */
  readonly lag_events: number;
  /** Age of the oldest event that is not applied yet. */
  readonly lag_seconds: number;
  /** Events per second. */
  readonly rate: number;
  readonly state: ProjectionState;
  /** Null unless it has stopped. */
  readonly error: ProjectionErrorView | null;
  /** Number of events that operators have skipped. */
  readonly skipped: number;
  readonly candidate: CandidateView | null;
  /** The previous live version, the target of a rollback; null if there is none. */
  readonly previous: number | null;

  constructor(status: ProjectionStatus) {
    this.name = status.name;
    this.version = status.version;
    this.position = String(status.position);
    this.head = String(status.head);
    this.lag_events = status.lagEvents;
    this.lag_seconds = status.lagSeconds;
    this.rate = rounded(status.rate);
    this.state = status.state;
    this.error = status.error && new ProjectionErrorView(status.error);
    this.skipped = status.skipped;
    this.candidate = status.candidate && new CandidateView(status.candidate);
    this.previous = status.previous;
  }
}

const rounded = (rate: number): number => Math.round(rate * 10) / 10;
