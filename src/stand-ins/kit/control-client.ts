import type { LoggedCall } from './call-log.js';
import type { Fault } from './faults.js';
import type { LedgerEntry } from './ledger.js';

/** The controls of a running stand-in, from outside: for tests, demos and the bench. */
export class StandInControl {
  /** @param url the stand-in's base address */
  constructor(private readonly url: string) {}

  /** Lets something go wrong; see `FaultMode`. By default the next call of any method meets it once. */
  async addFault(fault: Partial<Fault> & Pick<Fault, 'mode'>): Promise<void> {
    await this.ask('POST', 'faults', fault);
  }

  /** The faults that still wait. */
  async faults(): Promise<readonly Fault[]> {
    return ((await this.ask('GET', 'faults')) as { items: Fault[] }).items;
  }

  /** Removes all faults and the delay. */
  async clearFaults(): Promise<void> {
    await this.ask('DELETE', 'faults');
  }

  /** Delays every call by so many milliseconds; 0 ends it. */
  async setDelay(ms: number): Promise<void> {
    await this.ask('POST', 'delay', { ms });
  }

  /** The calls so far, oldest first: the newest 2,000 at most, `total` counts them all. */
  async calls(query: { after?: number; method?: string } = {}): Promise<{
    readonly items: readonly LoggedCall[];
    readonly total: number;
    readonly counts: Readonly<Record<string, number>>;
  }> {
    return (await this.ask('GET', `calls${queryString(query)}`)) as Awaited<ReturnType<StandInControl['calls']>>;
  }

  /** Everything that was accepted, oldest first. `channel`: an id or `@name`. */
  async ledger(query: { after?: number; channel?: string } = {}): Promise<readonly LedgerEntry[]> {
    const all: LedgerEntry[] = [];
    let after = query.after ?? 0;
    for (;;) {
      const { items } = (await this.ask('GET', `ledger${queryString({ ...query, after })}`)) as {
        items: LedgerEntry[];
      };
      const newest = items.at(-1);
      if (!newest) return all;
      all.push(...items);
      after = newest.seq;
    }
  }

  /** One of the network's own controls. Throws with the stand-in's sentence when it is refused. */
  async ask(httpMethod: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.url}/_control/${path}`, {
      method: httpMethod,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${httpMethod} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }
}

const queryString = (query: Readonly<Record<string, string | number>>): string => {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text ? `?${text}` : '';
};
