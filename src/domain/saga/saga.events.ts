import type { Catalogue, DomainEvent } from '../../kernel/events.js';

/**
 * The operator skipped an event that the saga could not handle: the saga never tries it again. `position` is text,
 * because it may exceed 2^53.
 */
export type SagaEventSkipped = DomainEvent<
  'SagaEventSkipped',
  {
    readonly saga: string;
    readonly eventId: string;
    readonly eventType: string;
    readonly position: string;
    /** The error that stopped the saga. */
    readonly error: string;
    readonly reason: string;
  }
>;

/** Events of the stream `saga-<name>`, which records the operator's decisions about a saga. */
export type SagaEvent = SagaEventSkipped;

export const sagaEvents = {
  SagaEventSkipped: { version: 1 },
} satisfies Catalogue & Record<SagaEvent['type'], unknown>;

/** Returns the name of the stream that records the decisions about a saga. */
export const sagaStream = (name: string): string => `saga-${name}`;
