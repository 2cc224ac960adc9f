import type { LedgerChange } from '../../stand-ins/kit/changes.js';
import type { Fault, LoggedCall } from '../../stand-ins/kit/control.js';
import type { LedgerEntry } from '../../stand-ins/kit/ledger-entry.js';

/** A client of a stand-in's controls, for tests and benchmarks. */
export class StandInControl {
  /** @param url the stand-in's base address */
  constructor(private readonly url: string) {}

  /** Adds a fault; see `FaultMode`. By default it applies once, to the next call of any method. */
  async addFault(fault: Partial<Fault> & Pick<Fault, 'mode'>): Promise<void> {
    await this.request('POST', 'faults', fault);
  }

  /** Returns the remaining faults. */
  async listFaults(): Promise<readonly Fault[]> {
    return ((await this.request('GET', 'faults')) as { items: Fault[] }).items;
  }

  /** Removes all faults and the delay. */
  async clearFaults(): Promise<void> {
    await this.request('DELETE', 'faults');
  }

  /** Delays every call by `ms` milliseconds; 0 ends the delay. */
  async setDelay(ms: number): Promise<void> {
    await this.request('POST', 'delay', { ms });
  }

  /** Returns the newest calls, at most 2,000, oldest first; `total` counts all calls. */
  async listCalls(query: { after?: number; method?: string } = {}): Promise<{
    readonly items: readonly LoggedCall[];
    readonly total: number;
    readonly counts: Readonly<Record<string, number>>;
  }> {
    return (await this.request('GET', `calls${queryString(query)}`)) as Awaited<
      ReturnType<StandInControl['listCalls']>
    >;
  }

  /** Returns all accepted messages, oldest first. @param query `channel`: an id or `@name` */
  async readLedger(query: { after?: number; channel?: string } = {}): Promise<readonly LedgerEntry[]> {
    const all: LedgerEntry[] = [];
    let after = query.after ?? 0;
    for (;;) {
      const { items } = (await this.request('GET', `ledger${queryString({ ...query, after })}`)) as {
        items: LedgerEntry[];
      };
      const newest = items.at(-1);
      if (!newest) return all;
      all.push(...items);
      after = newest.seq;
    }
  }

  /** Returns the messages that readers see now, oldest first: without deleted ones, and as they were last edited. */
  async readMessages(query: { channel?: string } = {}): Promise<readonly LedgerEntry[]> {
    const [entries, changes] = await Promise.all([this.readLedger(query), this.listChanges(query)]);
    return entries.flatMap((entry) => {
      const own = changes.filter(
        ({ channel, message_id }) => channel === entry.channel && message_id === entry.message_id,
      );
      if (own.some(({ kind }) => kind === 'deleted')) return [];
      return { ...entry, ...own.findLast(({ kind }) => kind === 'edited')?.content };
    });
  }

  /** Returns what happened to messages after they were accepted, oldest first. */
  async listChanges(query: { after?: number; channel?: string } = {}): Promise<readonly LedgerChange[]> {
    return ((await this.request('GET', `changes${queryString(query)}`)) as { items: LedgerChange[] }).items;
  }

  /** Calls a control. @throws Error with the stand-in's message if the control rejects the request */
  async request(httpMethod: string, path: string, body?: object): Promise<unknown> {
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
