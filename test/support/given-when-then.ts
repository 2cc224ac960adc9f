import { type Decider, type DomainEvent, fold } from '../../src/kernel/events.js';
import type { Rejection } from '../../src/kernel/result.js';

/** Outcome of a command, to be compared with the specification. */
export interface Outcome<E extends DomainEvent, Code extends string> {
  /** Expects exactly these events in this order, `[]` for no change, and that JSON preserves each of them. */
  then(expected: readonly E[]): void;
  /** Expects a rejection with this code, and with these figures if given. */
  thenRejected(code: Code, figures?: Rejection['figures']): void;
}

/**
 * Specifies a decider: `spec(decider).given(events).when(command).then(events)`. All arguments are frozen, so a decider
 * that is not pure fails.
 */
export const spec = <C, S, E extends DomainEvent, Code extends string>(decider: Decider<C, S, E, Code>) => ({
  given: (events: readonly E[]) => ({
    when: (command: C): Outcome<E, Code> => {
      const outcome = decider.decide(frozen(command), frozen(fold(decider, frozen(events))));
      return {
        then(expected) {
          expect(outcome).toStrictEqual(expected);
          expect(JSON.parse(JSON.stringify(outcome))).toStrictEqual(expected);
        },
        thenRejected(code, figures) {
          expect(outcome).toMatchObject(figures ? { rejection: code, figures } : { rejection: code });
        },
      };
    },
  }),
});

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};
