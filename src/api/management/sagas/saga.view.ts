import type { SagaFailure, SagaState, SagaStatus } from '../../../sagas/engine/saga-status.queries.js';

/** The event that a saga cannot handle. */
export class SagaErrorView {
  readonly message: string;
  readonly event_id: string;
  readonly position: string;
  readonly type: string;

  constructor({ message, eventId, position, type }: SagaFailure) {
    this.message = message;
    this.event_id = eventId;
    this.position = position;
    this.type = type;
  }
}

/** A saga that follows the log (management-api.md: `GET /sagas`). */
export class SagaView {
  readonly name: string;
  /** Position up to which the saga has handled events. Events of other types advance it only every few seconds. */
  readonly position: string;
  /** Position of the newest event. */
  readonly head: string;
  /** Number of events after its position; above a thousand, estimated as the difference between the positions. */
  readonly lag_events: number;
  /** Age of the oldest event after its position. */
  readonly lag_seconds: number;
  /** `retrying`: the last attempt failed; `stopped`: the failing event cannot be read, or is older than a minute. */
  readonly state: SagaState;
  /** Null unless the saga is failing on an event. */
  readonly error: SagaErrorView | null;
  /** Number of events that operators have skipped. */
  readonly skipped: number;

  constructor(status: SagaStatus) {
    this.name = status.name;
    this.position = String(status.position);
    this.head = String(status.head);
    this.lag_events = status.lagEvents;
    this.lag_seconds = status.lagSeconds;
    this.state = status.state;
    this.error = status.error && new SagaErrorView(status.error);
    this.skipped = status.skipped;
  }
}
