import type { Origin, RecordedEvent } from '../../kernel/events.js';

/** Returns the origin of events that a saga appends because of an event. */
export const causedBy = ({ id, requestId, correlationId }: RecordedEvent, saga: string): Origin => ({
  actor: `system:${saga}`,
  requestId,
  causationId: id,
  correlationId,
  clientAddress: null,
});
