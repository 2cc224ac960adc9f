import { type Decider, fold } from '../../src/kernel/decider.js';
import type { DomainEvent } from '../../src/kernel/events.js';
import type { Rejection } from '../../src/kernel/result.js';

/** What a command came to, to be compared with what the specification says. */
export interface Outcome<E extends DomainEvent, Code extends string> {
  /** Exactly these events in this order, `[]` where nothing changes; and each of them survives its way through JSON. */
  then(expected: readonly E[]): void;
  /** A rejection with this code, and these figures where they are given. */
  thenRejected(code: Code, figures?: Rejection['figures']): void;
}

/**
 * A decider's specification: `spec(decider).given(events).when(command).then(events)`. Everything that goes in is
 * frozen, so that a decider that is not pure fails.
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
