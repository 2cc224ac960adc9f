import type { CommandContext } from '../event-store/codec.js';
import type { Actor, Origin } from '../kernel/events.js';
import type { Instant } from '../kernel/instant.js';

export type { CommandContext } from '../event-store/codec.js';

/** The part of an HTTP request that is stored with the events it causes. */
export interface RequestOrigin {
  /** `req_…` */
  readonly id: string;
  readonly clientAddress: string;
}

/** Returns the origin of the events that an HTTP request causes. */
export const originOfRequest = (actor: Actor, { id, clientAddress }: RequestOrigin): Origin => ({
  actor,
  requestId: id,
  causationId: id,
  correlationId: id,
  clientAddress,
});

/** Returns a context whose event ids derive from the request and the use case, so an append can be repeated. */
export const newCommandContext = (origin: Origin, useCase: string, at: Instant): CommandContext => {
  const { actor, requestId, causationId, correlationId, clientAddress } = origin;
  return { actor, requestId, causationId, correlationId, clientAddress, commandId: `${causationId}/${useCase}`, at };
};
