import { InvalidControlRequest } from './control-fields.js';

/**
 * Faults that can be applied to a call:
 * - `answer`: the call is not executed; the configured response is sent
 * - `accept_then_answer`: the call is executed; the configured response is sent instead of the real one
 * - `accept_then_drop`: the call is executed; the connection breaks without a response
 * - `accept_then_hang`: the call is executed; no response is sent
 * - `drop_before_accepting`: the call is not executed; the connection breaks
 * - `hang`: the call is not executed; no response is sent
 * - `delay`: after `delay_ms`, the call is executed and the response sent
 */
const FAULT_MODES = [
  'answer',
  'accept_then_answer',
  'accept_then_drop',
  'accept_then_hang',
  'drop_before_accepting',
  'hang',
  'delay',
] as const;
/** Name of a fault. */
export type FaultMode = (typeof FAULT_MODES)[number];

/** A pending fault. */
export interface Fault {
  readonly mode: FaultMode;
  /** The network's method name; `*` for any. */
  readonly method: string;
  /** Channel as it appears in calls; null for any. */
  readonly channel: string | null;
  /** Number of calls to which the fault still applies; null for all calls until it is removed. */
  times: number | null;
  /** Delay in ms before the call is handled. */
  readonly delay_ms: number;
  readonly status: number;
  /** Response body: a string is sent unchanged, other values as JSON; null for the network's own error body. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of response body bytes to send before the connection breaks; null to send them all. */
  readonly cut_at: number | null;
}

const FIELDS = ['mode', 'method', 'channel', 'times', 'delay_ms', 'status', 'body', 'headers', 'cut_at'];

/** Parses a fault from a control request. @throws InvalidControlRequest if a field is invalid or unknown */
export const parseFault = (input: Readonly<Record<string, unknown>>): Fault => {
  for (const key of Object.keys(input)) {
    if (FIELDS.includes(key)) continue;
    throw new InvalidControlRequest(`unknown field ${key} of a fault; the fields are ${FIELDS.join(', ')}`);
  }
  const { mode = 'answer', method = '*', channel = null, headers = {} } = input;
  if (!FAULT_MODES.includes(mode as FaultMode))
    throw new InvalidControlRequest(`mode must be one of ${FAULT_MODES.join(', ')}`);
  if (typeof method !== 'string') throw new InvalidControlRequest('method must be a string');
  if (channel !== null && typeof channel !== 'string' && typeof channel !== 'number') {
    throw new InvalidControlRequest('channel must be a string');
  }
  if (typeof headers !== 'object' || headers === null) throw new InvalidControlRequest('headers must be an object');
  return {
    mode: mode as FaultMode,
    method,
    channel: channel === null ? null : String(channel),
    times: input['times'] === null ? null : readWholeNumber(input, 'times', 1, 1),
    delay_ms: readWholeNumber(input, 'delay_ms', 0, 0),
    status: readWholeNumber(input, 'status', 500, 100),
    body: input['body'] ?? null,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    cut_at: input['cut_at'] === undefined || input['cut_at'] === null ? null : readWholeNumber(input, 'cut_at', 0, 0),
  };
};

const readWholeNumber = (
  input: Readonly<Record<string, unknown>>,
  key: string,
  fallback: number,
  minimum: number,
): number => {
  const value = input[key] ?? fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum) return value;
  throw new InvalidControlRequest(`${key} must be a whole number from ${minimum}`);
};

/** The pending faults, oldest first. The first fault that matches a call applies to it. */
export class FaultQueue {
  private faults: Fault[] = [];
  /** Delay before every call, in ms. */
  delayMs = 0;

  add(fault: Fault): void {
    this.faults.push(fault);
  }

  list(): readonly Fault[] {
    return this.faults;
  }

  clear(): void {
    this.faults = [];
    this.delayMs = 0;
  }

  /** Returns the first fault that matches a call and counts one use of it. */
  takeMatch(method: string, channel: string | null): Fault | null {
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
