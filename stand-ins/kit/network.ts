import type { IncomingHttpHeaders } from 'node:http';
import type { WallTheme } from '../walls/readers-view.js';
import type { CallBody } from './body.js';
import type { RunningStandIn, StandInOptions } from './server.js';
import type { TroubleAnswers } from './troubles.js';

/** Logger for a stand-in, compatible with pino. */
export interface StandInLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** One HTTP request to the network's API, with its parsed body. */
export interface StandInCall extends CallBody {
  /** Unique across restarts; ledger entries refer to it. */
  readonly id: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** A response. An object is written as JSON, a string or buffer unchanged. */
export interface StandInAnswer {
  readonly status: number;
  readonly body: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error of the network's API: a call that throws it gets its answer. */
export class NetworkError extends Error {
  constructor(
    message: string,
    readonly answer: StandInAnswer,
  ) {
    super(message);
  }
}

/** Fields of a control request. */
export type ControlFields = CallBody['fields'];

/**
 * A network's own controls: `POST tokens` handles `POST /_control/tokens` and returns the body of the response.
 */
export type Controls = Readonly<Record<string, (fields: ControlFields) => object>>;

/** The network-specific part of a stand-in: the names of the network's calls and the responses to them. */
export interface StandInNetwork {
  readonly platform: string;
  /** Maximum request body size in bytes; default 52 MB. */
  readonly maxBodyBytes?: number;
  /** Returns the method and channel of a call for faults and the log, without credentials. */
  identify(call: StandInCall): { readonly method: string; readonly channel: string | null };
  /**
   * Executes a call as the network would. Visible messages are in the ledger before this resolves.
   * @throws NetworkError
   */
  handle(call: StandInCall): Promise<StandInAnswer>;
  /** Returns the network's error for a call whose body is too large (413) or unreadable (400). */
  createErrorAnswer(status: number, message: string): StandInAnswer;
  readonly controls?: Controls;
}

/** How to start and show a stand-in. `catalogue.ts` lists all stand-ins. */
export interface StandInDescriptor {
  readonly platform: string;
  readonly theme: WallTheme;
  readonly demoChannel: DemoChannel;
  /** Absent if the walls offer no way to break the network. */
  readonly troubles?: TroubleAnswers;
  readonly start: (options: StandInOptions) => Promise<RunningStandIn>;
}

/** A channel on the network that the demo starts with. */
export interface DemoChannel {
  readonly name: string;
  /** Made-up credentials in the format that the network accepts. */
  readonly credentials: Readonly<Record<string, string>>;
}
