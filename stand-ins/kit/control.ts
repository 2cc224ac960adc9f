import type { Changes } from './changes.js';
import type { Ledger } from './ledger.js';
import type { ControlFields, Controls, StandInAnswer } from './network.js';
import type { Statistics } from './statistics.js';

/** Thrown for an invalid control request; the message names the field and its valid values. */
export class InvalidControlRequest extends Error {}

/** Returns a string. @throws InvalidControlRequest if it is missing or empty */
export const readString = (fields: ControlFields, name: string): string => {
  const value = fields[name];
  if (typeof value !== 'string' || value === '') throw new InvalidControlRequest(`${name} must be a string`);
  return value;
};

/** Returns one of the given values. @throws InvalidControlRequest for any other */
export const readChoice = <T extends string>(fields: ControlFields, name: string, values: readonly T[]): T => {
  const value = fields[name] as T;
  if (!values.includes(value)) throw new InvalidControlRequest(`${name} must be one of ${values.join(', ')}`);
  return value;
};

/** Returns a number above 0. @throws InvalidControlRequest for anything else */
export const readPositive = (fields: ControlFields, name: string): number => {
  const value = fields[name];
  if (typeof value !== 'number' || !(value > 0)) throw new InvalidControlRequest(`${name} must be above 0`);
  return value;
};

/** Returns a whole number from `minimum`; `fallback` if it is missing. @throws InvalidControlRequest for anything else */
export const readWholeNumber = (fields: ControlFields, name: string, minimum: number, fallback?: number): number => {
  const value = fields[name] ?? fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum) return value;
  throw new InvalidControlRequest(`${name} must be a whole number from ${minimum}`);
};

/** Revokes a token, or accepts it again: `{token, revoked?}`. */
export const revokeToken = (revokedTokens: Set<string>, fields: ControlFields): object => {
  const token = readString(fields, 'token');
  const { revoked = true } = fields;
  if (revoked === true) revokedTokens.add(token);
  else revokedTokens.delete(token);
  return { revoked: revokedTokens.has(token) };
};

/**
 * Sets rate limits: `{on: true}` for the network's own limits, or limits by name; null for no limit. Turns off all
 * limits that are not set.
 */
export const setRateLimits = <T extends Readonly<Record<keyof T, number | null>>>(
  limits: { settings: T },
  own: T,
  { on, ...byName }: ControlFields,
): object => {
  const names = Object.keys(own);
  const settings: Record<string, number | null> = Object.fromEntries(names.map((name) => [name, null]));
  if (on === true) Object.assign(settings, own);
  for (const [name, value] of Object.entries(byName)) {
    if (!(name in settings))
      throw new InvalidControlRequest(`unknown rate limit ${name}; the limits are ${names.join(', ')}`);
    settings[name] = value === null ? null : readPositive(byName, name);
  }
  limits.settings = settings as T;
  return settings;
};

/** Changes a group: `{title?, state?, error_code?, error_msg?}`; `error_code` null removes the error for posting. */
export const changeGroup = <State extends string, Problem>(
  group: { title: string; state: State; postingError: Problem | null },
  fields: ControlFields,
  states: readonly State[],
  errorOf: (code: number, message: string | undefined) => Problem,
): void => {
  const { title, state, error_code, error_msg } = fields;
  if (typeof title === 'string') group.title = title;
  if (state !== undefined) group.state = readChoice(fields, 'state', states);
  if (error_code === null) group.postingError = null;
  if (typeof error_code === 'number') group.postingError = errorOf(error_code, error_msg as string | undefined);
};

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
type FaultMode = (typeof FAULT_MODES)[number];

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
const parseFault = (input: Readonly<Record<string, unknown>>): Fault => {
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
    status: readWholeNumber(input, 'status', 100, 500),
    body: input['body'] ?? null,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    cut_at: input['cut_at'] === undefined || input['cut_at'] === null ? null : readWholeNumber(input, 'cut_at', 0, 0),
  };
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

interface ControlledParts {
  readonly faults: FaultQueue;
  readonly calls: CallLog;
  readonly ledger: Ledger;
  readonly changes: Changes | undefined;
  readonly statistics: Statistics | undefined;
  /** The network's own. */
  readonly own: Controls;
}

/**
 * The controls that all stand-ins share:
 * - `GET | POST | DELETE /_control/faults`: lists, adds or removes faults, see {@link parseFault}; DELETE also clears
 *   the delay
 * - `POST /_control/delay {ms}`: sets a delay before every call
 * - `GET /_control/calls?after=&method=`: lists the latest calls, up to 2,000
 * - `GET /_control/ledger?after=&limit=&channel=`: lists the accepted messages, also those deleted since
 * - `GET /_control/changes?after=&channel=`: lists the deletions
 * - `POST /_control/statistics {channel, message_id, views?, likes?, comments?, shares?}`: sets numbers of a message
 *
 * and the network's own controls. Invalid requests get a 400 with a message, unknown controls a 404.
 * @param control such as `POST faults`
 */
export const answerControl = async (
  { faults, calls, ledger, changes, statistics, own }: ControlledParts,
  control: string,
  query: URLSearchParams,
  fields: ControlFields,
): Promise<StandInAnswer> => {
  try {
    switch (control) {
      case 'GET faults':
        return ok({ items: faults.list(), delay_ms: faults.delayMs });
      case 'POST faults':
        faults.add(parseFault(fields));
        return ok({ items: faults.list() });
      case 'DELETE faults':
        faults.clear();
        return ok({ items: [] });
      case 'POST delay':
        faults.delayMs = parseMilliseconds(fields['ms']);
        return ok({ delay_ms: faults.delayMs });
      case 'GET calls':
        return ok(calls.list(Number(query.get('after') ?? 0), query.get('method')));
      case 'GET ledger': {
        const items = await ledger.read({
          after: Number(query.get('after') ?? 0),
          limit: Number(query.get('limit') ?? 10_000),
          channel: query.get('channel'),
        });
        return ok({ items, last: ledger.last });
      }
      case 'GET changes': {
        const items = changes?.list(Number(query.get('after') ?? 0), query.get('channel')) ?? [];
        return ok({ items });
      }
      case 'POST statistics':
        return ok(statistics?.set(fields) ?? {});
      default:
        return own[control] ? ok(own[control](fields)) : { status: 404, body: { error: `unknown control ${control}` } };
    }
  } catch (error) {
    if (error instanceof InvalidControlRequest) return { status: 400, body: { error: error.message } };
    throw error;
  }
};

const ok = (body: object): StandInAnswer => ({ status: 200, body });

const parseMilliseconds = (value: unknown): number => {
  if (typeof value === 'number' && value >= 0 && value <= 600_000) return value;
  throw new InvalidControlRequest('ms must be a number from 0 to 600000');
};

/** A logged call, without credentials. */
export interface LoggedCall {
  /** Counts the calls since the start, from 1. */
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
