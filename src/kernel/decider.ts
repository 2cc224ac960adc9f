import type { DomainEvent } from './events.js';
import type { Rejection } from './result.js';

/**
 * An aggregate as three pure parts. `decide` answers with the events that follow from a command, none where
 * nothing changes, or a rejection; `evolve` folds an event into the state. Time and ids arrive in the command.
 */
export interface Decider<Command, State, Event extends DomainEvent, Code extends string = never> {
  /** First part of the stream's name: camelCase, one hyphen after it. */
  readonly category: string;
  readonly initial: State;
  decide(command: Command, state: State): readonly Event[] | Rejection<Code>;
  evolve(state: State, event: Event): State;
}

/** The stream of one aggregate: `channelPause-tgt_…`. */
export const streamOf = (decider: { readonly category: string }, id: string): string => `${decider.category}-${id}`;

/** Folds events into a state. */
export const fold = <S, E extends DomainEvent>(
  decider: Pick<Decider<never, S, E, string>, 'initial' | 'evolve'>,
  events: Iterable<E>,
): S => {
  let state = decider.initial;
  for (const event of events) state = decider.evolve(state, event);
  return state;
};

/** Proves at compile time that a union was handled whole. */
export const never = (value: never): never => {
  throw new Error(`unhandled: ${JSON.stringify(value)}`);
};
