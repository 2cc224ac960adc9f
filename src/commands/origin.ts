import type { Actor, Origin } from '../kernel/events.js';
import type { CommandContext } from '../event-store/codec.js';
import type { Instant } from '../kernel/instant.js';

export type { CommandContext } from '../event-store/codec.js';

/** Returns the origin of the events that an HTTP request causes. */
export const originOfRequest = (actor: Actor, requestId: string): Origin => ({
  actor,
  requestId,
  causationId: requestId,
  correlationId: requestId,
});

/** Returns a context whose event ids follow from the request and the use case, so that an append can be repeated safely. */
export const newCommandContext = (origin: Origin, useCase: string, at: Instant): CommandContext => {
  const { actor, requestId, causationId, correlationId } = origin;
  return { actor, requestId, causationId, correlationId, commandId: `${causationId}/${useCase}`, at };
};
