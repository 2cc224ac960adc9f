import { MemoryEventStore, type MemoryLog } from '../../../../src/event-store/memory/memory-event-store.js';
import type { EventStore } from '../../../../src/event-store/port.js';

/** What becomes of a call to the store, and of the process that made it. */
export type Fate = 'goes through' | 'process dies before' | 'process dies after';

/** A call that may be the next: whose it is, what it touches, and what may become of it. */
export interface Option {
  readonly process: number;
  readonly stream: string;
  readonly isAppend: boolean;
  readonly fate: Fate;
}

/** Who is next; null: nothing that can come of this game is new. */
export type Choose = (options: readonly Option[]) => Option | null;

interface Call extends Omit<Option, 'fate'> {
  readonly go: (fate: Fate) => Promise<unknown>;
}

const MAX_TURNS = 400;

/**
 * Several processes over one store, of which one call at a time goes through: which one, and who dies at it, is chosen
 * from outside. So every order of events can be played, and played again.
 */
export class Turns {
  private waiting: Call[] = [];
  private deaths = 0;

  /** @param maxDeaths how many processes may die, each at one of its appends */
  constructor(
    private readonly log: MemoryLog,
    private readonly maxDeaths: number,
  ) {}

  /** The store as one process sees it. */
  storeOf(process: number): EventStore {
    const store = new MemoryEventStore({ log: this.log });
    const inTurn = <T>(stream: string, isAppend: boolean, call: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const go = async (fate: Fate): Promise<unknown> => {
          if (fate === 'process dies before') return;
          const outcome = await call().then(
            (result) => () => resolve(result),
            (error: Error) => () => reject(error),
          );
          if (fate === 'goes through') outcome();
        };
        this.waiting.push({ process, stream, isAppend, go });
      });
    return new Proxy(store, {
      get(target, name) {
        if (name === 'append')
          return (...args: Parameters<EventStore['append']>) => inTurn(args[0], true, () => target.append(...args));
        if (name === 'readStream')
          return (...args: Parameters<EventStore['readStream']>) =>
            inTurn(args[0], false, () => target.readStream(...args));
        return Reflect.get(target, name) as unknown;
      },
    });
  }

  /**
   * Plays until nobody calls any more. Answers what each process came to, null where it died; null where the game was
   * broken off. @throws Error where they never come to an end
   */
  async play<T>(processes: readonly Promise<T>[], choose: Choose): Promise<(T | null)[] | null> {
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
      if (turn > MAX_TURNS) throw new Error('a livelock');
      const next = choose(this.options());
      if (!next) return null;
      await this.take(next);
    }
    if (errors.length > 0) throw errors[0];
    return results;
  }

  private options(): Option[] {
    const fates: Fate[] = ['goes through', 'process dies before', 'process dies after'];
    // Of one process, the call that it made first: its reads may come in any order anyway.
    const calls = this.waiting.filter(({ process }, i) => this.waiting.findIndex((c) => c.process === process) === i);
    return calls.flatMap(({ go: _, ...call }) =>
      (call.isAppend && this.deaths < this.maxDeaths ? fates : fates.slice(0, 1)).map((fate) => ({ ...call, fate })),
    );
  }

  private async take({ process, fate }: Option): Promise<void> {
    const call = this.waiting.find((waiting) => waiting.process === process)!;
    this.waiting.splice(this.waiting.indexOf(call), 1);
    await call.go(fate);
    if (fate === 'goes through') return;
    this.deaths += 1;
    this.waiting = this.waiting.filter((waiting) => waiting.process !== process);
  }
}

/** A turn of a game: what may be next, what need not be tried any more, and how far the options were tried. */
interface Node {
  readonly options: readonly Option[];
  readonly asleep: readonly Option[];
  index: number;
}

/**
 * Plays every game there is, but one alone of those that differ in the order of steps that do not touch each other
 * (sleep sets, Godefroid 1996). Answers how many came to an end.
 */
export const everyGame = async (play: (choose: Choose) => Promise<boolean>): Promise<number> => {
  const path: Node[] = [];
  for (let games = 0; ;) {
    let depth = 0;
    let asleep: readonly Option[] = [];
    const ended = await play((options) => {
      const node = (path[depth] ??= { options, asleep, index: firstAwake(options, asleep, 0) });
      depth += 1;
      const next = node.options[node.index];
      if (!next) return null;
      const tried = [...node.asleep, ...node.options.slice(0, node.index)];
      asleep = tried.filter((option) => areApart(option, next));
      return next;
    });
    if (ended) games += 1;
    for (;;) {
      const last = path.at(-1);
      if (!last) return games;
      last.index = firstAwake(last.options, last.asleep, last.index + 1);
      if (last.index < last.options.length) break;
      path.pop();
    }
  }
};

const firstAwake = (options: readonly Option[], asleep: readonly Option[], from: number): number => {
  const isAsleep = ({ process, fate }: Option) => asleep.some((a) => a.process === process && a.fate === fate);
  const index = options.findIndex((option, i) => i >= from && !isAsleep(option));
  return index < 0 ? options.length : index;
};

/** Two steps that lead to the same whichever comes first. A death uses up what another may want: it is apart of none. */
const areApart = (a: Option, b: Option): boolean =>
  a.process !== b.process &&
  a.fate === 'goes through' &&
  b.fate === 'goes through' &&
  (a.stream !== b.stream || !(a.isAppend || b.isAppend));
