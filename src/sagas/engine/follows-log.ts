import { Injectable } from '@nestjs/common';
import type { DomainEvent, RecordedEventOf } from '../../kernel/events.js';

/** The part of the log that a saga follows. */
export interface FollowedLog<E extends DomainEvent = DomainEvent> {
  /** The saga's name in kebab-case; its lease and checkpoint are `saga/<name>`. */
  readonly name: string;
  /** Event types that the saga receives. */
  readonly types: readonly E['type'][];
  /** Where a saga without a checkpoint starts; `now` is the end of the log, for sagas that must not act on the past. */
  readonly startsAt: 'beginning' | 'now';
  /**
   * Which events are handled one after another: those that concern one owner, or those of one stream. Other events are
   * handled at the same time, so one owner's work, or a failing event, does not delay the rest (D-82).
   */
  readonly lanes: 'owner' | 'stream';
}

/** A saga that reacts to the events that it follows. */
export interface Reacting<E extends DomainEvent = DomainEvent> {
  /**
   * Handles one event before the saga receives the next of its lane. After a crash or a rejection, the event is delivered again, so
   * all effects must carry ids derived from the event.
   * @param signal aborted when the process stops or the time limit is reached; the reaction must then stop
   */
  react(event: RecordedEventOf<E>, signal: AbortSignal): Promise<void>;
}

/** A saga's reaction to the part of the log that it follows. */
export type Reaction<E extends DomainEvent = DomainEvent> = FollowedLog<E> & Reacting<E>;

/** A class that Nest creates a saga from. */
export type SagaClass<S = object> = abstract new (...args: never[]) => S;

const followed = new WeakMap<object, FollowedLog>();

/** Class decorator: declares which part of the log a saga follows, and makes the class injectable. */
export const FollowsLog =
  <E extends DomainEvent>(log: FollowedLog<E>) =>
  (saga: SagaClass<Reacting<E>>): void => {
    Injectable()(saga);
    followed.set(saga, log);
  };

/** Returns the part of the log that a class follows; null if it follows none. */
export const followedLogOf = (saga: object): FollowedLog | null => followed.get(saga) ?? null;
