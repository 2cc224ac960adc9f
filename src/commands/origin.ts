import type { Actor, Origin } from '../kernel/events.js';
import type { Execution } from '../event-store/codec.js';
import type { Instant } from '../kernel/instant.js';

export type { Execution } from '../event-store/codec.js';

/** The origin of what one HTTP request causes. */
export const originOfRequest = (actor: Actor, requestId: string): Origin => ({
  actor,
  requestId,
  causationId: requestId,
  correlationId: requestId,
});

/** An execution whose event ids follow from the request and the use case, so that an append may be repeated. */
export const execution = (origin: Origin, useCase: string, at: Instant): Execution => {
  const { actor, requestId, causationId, correlationId } = origin;
  return { actor, requestId, causationId, correlationId, commandId: `${causationId}/${useCase}`, at };
};
