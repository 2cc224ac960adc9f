import type { EventStore } from '../../../../src/event-store/port.js';
import { MemoryEventStore, type MemoryLog } from '../../../support/memory-event-store.js';

/** The outcome of a call to the store, and of the process that made it. */
export type StepOutcome = 'completes' | 'process dies before the call' | 'process dies after the call';

/** A call that may be executed next: its process, its stream, and one of its possible outcomes. */
export interface Step {
  readonly process: number;
  readonly stream: string;
  readonly isAppend: boolean;
  readonly outcome: StepOutcome;
}

/** Chooses the next step; null if every continuation of this run has been explored. */
export type ChooseStep = (options: readonly Step[]) => Step | null;

interface PendingCall extends Omit<Step, 'outcome'> {
  readonly execute: (outcome: StepOutcome) => Promise<unknown>;
}

const MAX_STEPS = 400;

/**
 * Runs several processes over one store, one call at a time. The caller chooses the next call, and whether its process
 * dies there, so that every interleaving can be run, and repeated.
 */
export class InterleavedProcesses {
  private waiting: PendingCall[] = [];
  private deaths = 0;

  /** @param maxDeaths number of processes that may die, each at one of its appends */
  constructor(
    private readonly log: MemoryLog,
    private readonly maxDeaths: number,
  ) {}

  /** Creates the store of one process. */
  createStore(process: number): EventStore {
    const store = new MemoryEventStore({ log: this.log });
    const schedule = <T>(stream: string, isAppend: boolean, call: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const execute = async (outcome: StepOutcome): Promise<unknown> => {
          if (outcome === 'process dies before the call') return;
          const settle = await call().then(
            (result) => () => resolve(result),
            (error: Error) => () => reject(error),
          );
          if (outcome === 'completes') settle();
        };
        this.waiting.push({ process, stream, isAppend, execute });
      });
    return new Proxy(store, {
      get(target, name) {
        if (name === 'append')
          return (...args: Parameters<EventStore['append']>) => schedule(args[0], true, () => target.append(...args));
        if (name === 'readStream')
          return (...args: Parameters<EventStore['readStream']>) =>
            schedule(args[0], false, () => target.readStream(...args));
        return Reflect.get(target, name) as unknown;
      },
    });
  }

  /**
   * Runs the processes until none makes another call. Returns each process's result, null if it died; null instead
   * of the list if the run was aborted. @throws Error if the processes do not end
   */
  async runAll<T>(processes: readonly Promise<T>[], choose: ChooseStep): Promise<(T | null)[] | null> {
    const results: (T | null)[] = processes.map(() => null);
    const errors: unknown[] = [];
    processes.forEach((process, i) => {
      process.then(
        (result) => (results[i] = result),
        (error: unknown) => errors.push(error),
      );
    });
    for (let turn = 0; ; turn++) {
      await new Promise(setImmediate);
      if (this.waiting.length === 0) break;
      if (turn > MAX_STEPS) throw new Error('livelock: the processes do not end');
      const next = choose(this.listSteps());
      if (!next) return null;
      await this.executeStep(next);
    }
    if (errors.length > 0) throw errors[0];
    return results;
  }

  private listSteps(): Step[] {
    const outcomes: StepOutcome[] = ['completes', 'process dies before the call', 'process dies after the call'];
    // Offers only the first call of each process, because the order of a process's own reads does not matter.
    const calls = this.waiting.filter(({ process }, i) => this.waiting.findIndex((c) => c.process === process) === i);
    return calls.flatMap(({ execute: _, ...call }) =>
      (call.isAppend && this.deaths < this.maxDeaths ? outcomes : outcomes.slice(0, 1)).map((outcome) => ({
        ...call,
        outcome,
      })),
    );
  }

  private async executeStep({ process, outcome }: Step): Promise<void> {
    const call = this.waiting.find((waiting) => waiting.process === process)!;
    this.waiting.splice(this.waiting.indexOf(call), 1);
    await call.execute(outcome);
    if (outcome === 'completes') return;
    this.deaths += 1;
    this.waiting = this.waiting.filter((waiting) => waiting.process !== process);
  }
}

/** A position in a run: the possible steps, the steps that need not be explored, and the step explored last. */
interface Node {
  readonly steps: readonly Step[];
  readonly sleeping: readonly Step[];
  index: number;
}

/**
 * Explores every interleaving, but only one of those that differ only in the order of independent steps (sleep sets,
 * Godefroid 1996). Returns the number of runs that ended.
 * @param run runs the processes once; true if they ended
 */
export const exploreInterleavings = async (run: (choose: ChooseStep) => Promise<boolean>): Promise<number> => {
  const path: Node[] = [];
  for (let runs = 0; ;) {
    let depth = 0;
    let sleeping: readonly Step[] = [];
    const ended = await run((steps) => {
      const node = (path[depth] ??= { steps, sleeping, index: findAwake(steps, sleeping, 0) });
      depth += 1;
      const next = node.steps[node.index];
      if (!next) return null;
      const explored = [...node.sleeping, ...node.steps.slice(0, node.index)];
      sleeping = explored.filter((step) => areIndependent(step, next));
      return next;
    });
    if (ended) runs += 1;
    for (;;) {
      const last = path.at(-1);
      if (!last) return runs;
      last.index = findAwake(last.steps, last.sleeping, last.index + 1);
      if (last.index < last.steps.length) break;
      path.pop();
    }
  }
};

/** Returns the index of the first step that is not in the sleep set; the number of steps if there is none. */
const findAwake = (steps: readonly Step[], sleeping: readonly Step[], from: number): number => {
  const isSleeping = ({ process, outcome }: Step) =>
    sleeping.some((step) => step.process === process && step.outcome === outcome);
  const index = steps.findIndex((step, i) => i >= from && !isSleeping(step));
  return index < 0 ? steps.length : index;
};

/** Whether two steps lead to the same state in either order. Deaths are never independent: their number is limited. */
const areIndependent = (a: Step, b: Step): boolean =>
  a.process !== b.process &&
  a.outcome === 'completes' &&
  b.outcome === 'completes' &&
  (a.stream !== b.stream || !(a.isAppend || b.isAppend));
