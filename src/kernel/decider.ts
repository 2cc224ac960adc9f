import type { DomainEvent } from './events.js';
import type { Rejection } from './result.js';

/**
 * An aggregate, built from pure functions. `decide` returns the events that a command causes (none if nothing changes)
 * or a rejection. `evolve` applies an event to the state. Time and ids arrive in the command.
 */
export interface Decider<Command, State, Event extends DomainEvent, Code extends string = never> {
  /** First part of the stream name, in camelCase; a hyphen follows. */
  readonly category: string;
  readonly initial: State;
  /**
   * Number of events that determine the state: folding a stream's last events gives the same state as folding all of
   * them. Only these are read, so that a stream can grow without limit. If absent, all events are needed.
   */
  readonly memory?: number;
  /**
   * Version of the snapshot format; absent if the aggregate has no snapshots. Snapshots avoid reading a long stream
   * from its start. The state must be JSON. Raise the version whenever the state or `evolve` changes, so that older
   * snapshots are ignored.
   */
  readonly snapshotVersion?: number;
  /**
   * Returns the owner of the aggregate; null if there is no aggregate. An owner's command on another owner's aggregate
   * is rejected with `not_found` before and after the decision, so that no use case can forget the check. Absent if the
   * owner is not part of the state.
   */
  ownerOf?(state: State, id: string): string | null;
  decide(command: Command, state: State): readonly Event[] | Rejection<Code>;
  evolve(state: State, event: Event): State;
}

/** Returns the name of an aggregate's stream: `channelPause-tgt_…`. */
export const streamOf = (decider: { readonly category: string }, id: string): string => `${decider.category}-${id}`;

/** Folds events into a state, starting from the initial state. */
export const fold = <S, E extends DomainEvent>(
  decider: Pick<Decider<never, S, E, string>, 'initial' | 'evolve'>,
  events: Iterable<E>,
): S => {
  let state = decider.initial;
  for (const event of events) state = decider.evolve(state, event);
  return state;
};

/** Proves at compile time that every member of a union is handled. */
export const assertNever = (value: never): never => {
  throw new Error(`unhandled: ${JSON.stringify(value)}`);
};
