/**
 * What can go wrong with a call:
 * - `answer`: it is not done; the given answer goes back
 * - `accept_then_answer`: it is done; the given answer goes back instead of the true one
 * - `accept_then_drop`: it is done; the connection breaks without an answer
 * - `accept_then_hang`: it is done; no answer ever comes
 * - `drop_before_accepting`: it is not done; the connection breaks
 * - `hang`: it is not done; no answer ever comes
 * - `delay`: it is done and answered, `delay_ms` later
 */
export const FAULT_MODES = [
  'answer',
  'accept_then_answer',
  'accept_then_drop',
  'accept_then_hang',
  'drop_before_accepting',
  'hang',
  'delay',
] as const;
/** Name of a way to fail. */
export type FaultMode = (typeof FAULT_MODES)[number];

/** A fault that waits for its calls. */
export interface Fault {
  readonly mode: FaultMode;
  /** The network's method name; `*` for any. */
  readonly method: string;
  /** The channel as calls name it; null for any. */
  readonly channel: string | null;
  /** How many calls it still meets; null until it is removed. */
  times: number | null;
  /** Milliseconds before anything happens. */
  readonly delay_ms: number;
  readonly status: number;
  /** The answer's body: a string goes as it is, anything else as JSON; null for the network's own words. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Breaks the connection after so many bytes of the answer's body; null sends it whole. */
  readonly cut_at: number | null;
}

/** A fault that cannot be: which field, and what it takes. */
export class BadFault extends Error {}

/** A fault from a control request. {@link BadFault} where a field is wrong or unknown. */
export const parseFault = (input: Readonly<Record<string, unknown>>): Fault => {
  const known = ['mode', 'method', 'channel', 'times', 'delay_ms', 'status', 'body', 'headers', 'cut_at'];
  for (const key of Object.keys(input)) if (!known.includes(key)) throw new BadFault(`${key} is no field of a fault`);
  const { mode = 'answer', method = '*', channel = null, headers = {} } = input;
  if (!FAULT_MODES.includes(mode as FaultMode)) throw new BadFault(`mode must be one of ${FAULT_MODES.join(', ')}`);
  if (typeof method !== 'string') throw new BadFault('method must be a string');
  if (channel !== null && typeof channel !== 'string' && typeof channel !== 'number') {
    throw new BadFault('channel must be a string');
  }
  if (typeof headers !== 'object' || headers === null) throw new BadFault('headers must be an object');
  return {
    mode: mode as FaultMode,
    method,
    channel: channel === null ? null : String(channel),
    times: input['times'] === null ? null : whole(input, 'times', 1, 1),
    delay_ms: whole(input, 'delay_ms', 0, 0),
    status: whole(input, 'status', 500, 100),
    body: input['body'] ?? null,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    cut_at: input['cut_at'] === undefined || input['cut_at'] === null ? null : whole(input, 'cut_at', 0, 0),
  };
};

const whole = (input: Readonly<Record<string, unknown>>, key: string, otherwise: number, least: number): number => {
  const value = input[key] ?? otherwise;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new BadFault(`${key} must be a whole number from ${least}`);
};

/** The faults that wait, oldest first; each call takes the first that fits it. */
export class FaultQueue {
  private faults: Fault[] = [];
  /** Milliseconds before every call, whatever becomes of it. */
  delayMs = 0;

  add(fault: Fault): void {
    this.faults.push(fault);
  }

  list(): readonly Fault[] {
    return this.faults;
  }

  /** Removes all faults and the delay. */
  clear(): void {
    this.faults = [];
    this.delayMs = 0;
  }

  /** The fault that a call meets, used up by one. */
  take(method: string, channel: string | null): Fault | null {
    if (this.faults.length === 0) return null;
    const fault = this.faults.find(
      (one) =>
        (one.method === '*' || one.method.toLowerCase() === method.toLowerCase()) &&
        (one.channel === null || one.channel === channel),
    );
    if (!fault) return null;
    if (fault.times !== null && --fault.times === 0) this.faults = this.faults.filter((one) => one !== fault);
    return fault;
  }
}
