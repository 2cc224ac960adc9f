import type { IncomingHttpHeaders } from 'node:http';
import type { CallBody } from './body.js';

/** What a stand-in writes about itself; pino's loggers fit. */
export interface StandInLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** One HTTP request to the network's API, its body read and parsed. */
export interface StandInCall extends CallBody {
  /** Unique over restarts; ledger lines name the call that made them. */
  readonly id: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** What goes back. An object is written as JSON; a string or a buffer as it is. */
export interface StandInAnswer {
  readonly status: number;
  readonly body: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a network adds to the frame: how its calls are named and answered. */
export interface StandInNetwork {
  /** `telegram`, `vk`, `max` or `ok`. */
  readonly platform: string;
  /** For people: `Telegram`. */
  readonly title: string;
  /** The largest body of a call, where it is not the usual 52 MB. */
  readonly maxBodyBytes?: number;
  /** The names by which faults and the log of calls know a call; no credential in them. */
  identify(call: StandInCall): { readonly method: string; readonly channel: string | null };
  /** Does what the call asks, as the network would. What readers see is in the ledger before this resolves. */
  handle(call: StandInCall): Promise<StandInAnswer>;
  /** The network's own form of an error that arises before `handle`: a body too large (413) or unreadable (400). */
  failure(status: number, sentence: string): StandInAnswer;
  /** Controls beside the shared ones: `path` behind `/_control/`; null where there is no such control. */
  control?(httpMethod: string, path: string, body: Readonly<Record<string, unknown>>): StandInAnswer | null;
}
