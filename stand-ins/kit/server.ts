import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { WallTheme } from '../walls/readers-view.js';
import { Wall } from '../walls/wall.js';
import { BodyProblem, readBody } from './body.js';
import { Changes } from './changes.js';
import { answerControl, CallLog, type Fault, FaultQueue } from './control.js';
import { Ledger } from './ledger.js';
import type { LedgerEntry } from './ledger-entry.js';
import { MediaStore, StoredUploads } from './media-store.js';
import {
  type ControlFields,
  NetworkError,
  type StandInAnswer,
  type StandInCall,
  type StandInLogger,
  type StandInNetwork,
} from './network.js';
import { Statistics } from './statistics.js';

/** Options for every stand-in. */
export interface StandInOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Default: loopback. */
  readonly host?: string;
  readonly ledgerFile: string;
  readonly logger?: StandInLogger;
  /** Length of a minute of the network's long times, in ms; default 60,000. */
  readonly minuteMs?: number;
}

/** A running stand-in. */
export interface RunningStandIn {
  /** Base address without a trailing slash, for the publisher's API URL setting. */
  readonly url: string;
  /** Answers `/_control/…` and the wall's addresses from inside the process, also while the network is out of reach. */
  ask(method: string, path: string, fields?: ControlFields): Promise<StandInAnswer>;
  /** An outage: connections break, and new ones are refused, until it ends. */
  setReachable(isReachable: boolean): Promise<void>;
  /** Closes open connections, completes pending writes, and frees the port. */
  stop(): Promise<void>;
}

/** The server closes the ledger when it stops, or if it cannot start. */
interface StandInParts {
  readonly network: StandInNetwork;
  readonly ledger: Ledger;
  /** Absent for a service without readers. */
  readonly wall?: Wall;
  /** Absent for a network that changes no messages. */
  readonly changes?: Changes;
  /** Absent for a service without readers. */
  readonly statistics?: Statistics;
}

/** What is kept next to the ledger's file. */
interface StandInFiles {
  readonly ledger: Ledger;
  readonly media: MediaStore;
  readonly storedUploads: StoredUploads;
  readonly changes: Changes;
  readonly statistics: Statistics;
}

/** A network whose posts have readers. */
interface ReadNetwork {
  readonly platform: string;
  readonly title: string;
  readonly theme: WallTheme;
  /** Called for each message in the ledger, then for each new one. */
  readonly onEntry: (entry: LedgerEntry) => void;
  readonly createNetwork: (files: StandInFiles) => StandInNetwork;
}

/** Opens a network's files, restores its state from the ledger, and serves it with its wall. */
export const serveNetwork = async (
  { platform, title, theme, onEntry, createNetwork }: ReadNetwork,
  options: StandInOptions,
): Promise<RunningStandIn> => {
  const { ledgerFile } = options;
  const media = new MediaStore(`${ledgerFile}.media`);
  const wall = new Wall(platform, title, media.folder, theme);
  const storedUploads = await StoredUploads.open(`${ledgerFile}.uploads`);
  const ledger = await Ledger.open({
    file: ledgerFile,
    platform,
    onEntry: (entry) => {
      onEntry(entry);
      wall.add(entry);
    },
  });
  const changes = await Changes.open(`${ledgerFile}.changes`, (change) => wall.change(change));
  const statistics = new Statistics(options.minuteMs);
  const network = createNetwork({ ledger, media, storedUploads, changes, statistics });
  return serveStandIn({ network, ledger, wall, changes, statistics }, options);
};

const BASE = 'http://stand-in';
const CONTROL = '/_control/';

/**
 * Serves a network's API, `/_control/…` for faults and the log of calls, and `/wall` for readers. Use only on the
 * loopback address: the controls require no credentials.
 */
export const serveStandIn = async (
  { network, ledger, wall, changes, statistics }: StandInParts,
  { port, host = '127.0.0.1', logger }: Omit<StandInOptions, 'ledgerFile'>,
): Promise<RunningStandIn> => {
  const faults = new FaultQueue();
  const calls = new CallLog();
  const stopping = new AbortController();

  const onApiCall = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const call: StandInCall = {
      ...(await readBody(request, network.maxBodyBytes)),
      id: randomUUID(),
      httpMethod: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
    };
    const { method, channel } = network.identify(call);
    const fault = faults.takeMatch(method, channel);
    const logged = calls.add({ id: call.id, method, channel, request: call.fields, fault: fault?.mode ?? null });
    const delay = faults.delayMs + (fault?.delay_ms ?? 0);
    if (delay > 0) await wait(delay, undefined, { signal: stopping.signal });

    const answer = await answerUnderFault(fault, () => answerCall(network, call), network);
    if (answer === 'hang') return;
    if (answer === 'drop') return void response.destroy();
    logged.status = answer.status;
    writeAnswer(response, answer, fault?.cut_at);
  };

  const answerInside = async (method: string, url: URL, fields: ControlFields): Promise<StandInAnswer | null> => {
    if (url.pathname.startsWith(CONTROL)) {
      const parts = { faults, calls, ledger, changes, statistics, own: network.controls ?? {} };
      return answerControl(parts, `${method} ${url.pathname.slice(CONTROL.length)}`, url.searchParams, fields);
    }
    return wall?.isWallPath(url.pathname) ? wall.answerRequest(url) : null;
  };

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!URL.canParse(request.url ?? '/', BASE))
      return writeAnswer(response, network.createErrorAnswer(400, 'no such address'));
    const url = new URL(request.url ?? '/', BASE);
    try {
      const fields = url.pathname.startsWith(CONTROL) ? (await readBody(request)).fields : {};
      const inside = await answerInside(request.method ?? '', url, fields);
      if (inside) writeAnswer(response, inside);
      else await onApiCall(request, response, url);
    } catch (error) {
      if (stopping.signal.aborted || response.destroyed || response.headersSent) return void response.destroy();
      if (error instanceof BodyProblem)
        return writeAnswer(response, network.createErrorAnswer(error.status, error.message));
      const path = url.pathname.replace(/\d+:[\w-]+/, '***');
      logger?.error({ err: error, path }, 'stand-in failed to handle a request');
      const message = error instanceof Error ? error.message : 'unknown error';
      writeAnswer(response, network.createErrorAnswer(500, message));
    }
  };

  const server = createServer((request, response) => void onRequest(request, response));
  server.keepAliveTimeout = 65_000;
  const listen = async (at: number): Promise<void> => {
    server.listen(at, host);
    await once(server, 'listening');
  };
  const closeServer = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  try {
    await listen(port);
  } catch (error) {
    await ledger.close();
    throw error;
  }
  const bound = server.address() as AddressInfo;
  const url = `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
  logger?.info({ platform: network.platform, url, accepted: ledger.last }, 'stand-in is listening');
  return {
    url,
    ask: async (method, path, fields = {}) =>
      (await answerInside(method, new URL(path, BASE), fields)) ?? network.createErrorAnswer(404, 'no such address'),
    setReachable: async (isReachable) => {
      if (isReachable === server.listening) return;
      await (isReachable ? listen(bound.port) : closeServer());
    },
    async stop() {
      stopping.abort();
      await closeServer();
      await ledger.close();
    },
  };
};

const answerCall = async (network: StandInNetwork, call: StandInCall): Promise<StandInAnswer> => {
  try {
    return await network.handle(call);
  } catch (error) {
    if (error instanceof NetworkError) return error.answer;
    throw error;
  }
};

/** Responds to a call as its fault specifies, or with the network's real response if there is no fault. */
const answerUnderFault = async (
  fault: Fault | null,
  accept: () => Promise<StandInAnswer>,
  network: StandInNetwork,
): Promise<StandInAnswer | 'hang' | 'drop'> => {
  switch (fault?.mode) {
    case undefined:
    case 'delay':
      return accept();
    case 'answer':
      return createFaultAnswer(fault, network);
    case 'accept_then_answer':
      await accept();
      return createFaultAnswer(fault, network);
    case 'accept_then_drop':
      await accept();
      return 'drop';
    case 'accept_then_hang':
      await accept();
      return 'hang';
    case 'drop_before_accepting':
      return 'drop';
    case 'hang':
      return 'hang';
  }
};

const createFaultAnswer = ({ status, body, headers }: Fault, network: StandInNetwork): StandInAnswer => {
  const answer = body === null ? network.createErrorAnswer(status, '') : { body: body as object | string };
  return { status, body: answer.body, headers };
};

const writeAnswer = (
  response: ServerResponse,
  { status, body, headers }: StandInAnswer,
  cutAt: number | null = null,
): void => {
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(isJson ? JSON.stringify(body) : body);
  response.writeHead(status, {
    'content-type': isJson ? 'application/json' : 'text/html; charset=utf-8',
    'content-length': bytes.length,
    ...headers,
  });
  if (cutAt === null) return void response.end(bytes);
  response.write(bytes.subarray(0, cutAt), () => response.destroy());
};

/**
 * Runs a stand-in as a separate process: `--port` (0, the default, picks a free one), `--host`, `--ledger` (a file).
 * Prints one line of JSON, `{"url", "pid"}`, once it is listening. Exits on SIGTERM and SIGINT, after completing all
 * writes.
 */
export const runStandIn = async (start: (options: StandInOptions) => Promise<RunningStandIn>): Promise<void> => {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      ledger: { type: 'string' },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port must be a number from 0 to 65535');
  if (!values.ledger) throw new Error('--ledger is missing: set it to the file that stores the accepted messages');

  const standIn = await start({ port, host: values.host, ledgerFile: values.ledger, logger: stderrLogger });
  process.stdout.write(`${JSON.stringify({ url: standIn.url, pid: process.pid })}\n`);
  const shutDown = (): void => {
    void standIn.stop().then(() => process.exit(0));
  };
  process.once('SIGTERM', shutDown);
  process.once('SIGINT', shutDown);
};

const writeLine =
  (level: string) =>
  (details: object, message: string): void => {
    process.stderr.write(`${JSON.stringify({ level, message, ...details })}\n`);
  };
const stderrLogger: StandInLogger = { info: writeLine('info'), warn: writeLine('warn'), error: writeLine('error') };
