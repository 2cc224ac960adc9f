import type { FaultMode } from './faults.js';

/** A call as the log keeps it; credentials never stand in it. */
export interface LoggedCall {
  /** From 1, since the start. */
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly channel: string | null;
  /** What was asked, as it came. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The fault that it met. */
  readonly fault: FaultMode | null;
  /** The answer's status; null while there is none, and for ever where the connection was dropped. */
  status: number | null;
}

/** Fields by which networks are told who calls; the log shows that they came. */
const CREDENTIALS: ReadonlySet<string> = new Set(['access_token', 'api_key']);

/** How many calls are kept. */
const KEPT = 2_000;

/** The latest calls, and how many there were of each method. */
export class CallLog {
  private readonly calls: LoggedCall[] = [];
  private readonly counts = new Map<string, number>();
  private total = 0;

  add(call: Omit<LoggedCall, 'seq' | 'at' | 'status'>): LoggedCall {
    const request = Object.fromEntries(
      Object.entries(call.request).map(([name, value]) => [name, CREDENTIALS.has(name) ? '***' : value]),
    );
    const logged: LoggedCall = { seq: ++this.total, at: new Date().toISOString(), ...call, request, status: null };
    this.calls[(logged.seq - 1) % KEPT] = logged;
    this.counts.set(call.method, (this.counts.get(call.method) ?? 0) + 1);
    return logged;
  }

  /** Calls after `after`, oldest first; with `method`, of that method alone. */
  list(after: number, method: string | null): { items: LoggedCall[]; total: number; counts: Record<string, number> } {
    const items = this.calls
      .filter((call) => call.seq > after && (method === null || call.method === method))
      .sort((a, b) => a.seq - b.seq);
    return { items, total: this.total, counts: Object.fromEntries(this.counts) };
  }
}
