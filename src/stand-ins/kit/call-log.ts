import type { FaultMode } from './faults.js';

/** A logged call, without credentials. */
export interface LoggedCall {
  /** Number of the call since the start, from 1. */
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly channel: string | null;
  /** Parameters as received, with credentials replaced by `***`. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The fault applied to the call; null if none. */
  readonly fault: FaultMode | null;
  /** Response status; null until a response is sent. */
  status: number | null;
}

const CREDENTIALS: ReadonlySet<string> = new Set(['access_token', 'api_key']);
const MAX_LOGGED_CALLS = 2_000;

/** The latest calls, and the number of calls per method since the start. */
export class CallLog {
  private readonly calls: LoggedCall[] = [];
  private readonly counts = new Map<string, number>();
  private total = 0;

  add(call: Omit<LoggedCall, 'seq' | 'at' | 'status'>): LoggedCall {
    const request = Object.fromEntries(
      Object.entries(call.request).map(([name, value]) => [name, CREDENTIALS.has(name) ? '***' : value]),
    );
    const logged: LoggedCall = { seq: ++this.total, at: new Date().toISOString(), ...call, request, status: null };
    this.calls[(logged.seq - 1) % MAX_LOGGED_CALLS] = logged;
    this.counts.set(call.method, (this.counts.get(call.method) ?? 0) + 1);
    return logged;
  }

  /** Returns the calls after number `after`, oldest first; limited to calls of `method` unless it is null. */
  list(after: number, method: string | null): { items: LoggedCall[]; total: number; counts: Record<string, number> } {
    const items = this.calls
      .filter((call) => call.seq > after && (method === null || call.method === method))
      .sort((a, b) => a.seq - b.seq);
    return { items, total: this.total, counts: Object.fromEntries(this.counts) };
  }
}
