import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LogRequests } from '../../../commands/request-log.js';
import type { LoggedRequest } from '../../../domain/request-log/request-log.events.js';
import { isStoreOutage } from '../../../event-store/port.js';
import type { JsonObject } from '../../../kernel/ids.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { reasonOf } from '../../../kernel/result.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { Pace } from '../../../runtime/pace.js';
import { readHeaderText } from '../../transport/headers.js';
import { measureBody } from '../../transport/raw-body.js';
import type { Decision, GateRejection } from './gate-request.js';

/** Log entries of one endpoint that are waiting to be written. */
interface PendingLog {
  entries: LoggedRequest[];
  /** True if a timer is set or a write is due. Stays true for a while after a write, so that the next write waits. */
  isScheduled: boolean;
  /** Time of the last write: `performance.now()` timestamp, in ms. */
  writtenAt: number;
  /** Settles when the latest write has finished. */
  writing: Promise<void>;
}

/** Shortest interval between two appends for an endpoint, in ms, however many requests it gets. */
const WRITE_INTERVAL_MS = 200;
/** How long to wait for more entries after the first, in ms. */
const BATCH_MS = 20;
/** Maximum number of entries per endpoint; the endpoint's log keeps no more (publish-api.md: Limits, request log). */
const MAX_ENTRIES = 100;
/** Maximum number of entries in total. Above that, a new entry replaces its endpoint's oldest entry or is dropped. */
const MAX_TOTAL = 20_000;
/** Maximum number of concurrent appends: the rest of the store's capacity is for posts. */
const MAX_CONCURRENT_WRITES = 16;
/** How many rounds may run without a pause; after that, one round starts per {@link WRITE_INTERVAL_MS}. */
const BURST_ROUNDS = 10;
const RETRY_MS = 1_000;

/**
 * Records requests that create no post (D-33) without delaying requests that do. Entries are collected in memory and
 * written in rounds, each with the entries of all endpoints that are due, so that a flood of bad requests costs a few
 * commits a second, however many endpoints it uses. A killed process loses up to 0.4 s of entries; a clean shutdown
 * writes all of them.
 */
@Injectable()
export class RequestRecorder implements OnApplicationShutdown {
  private readonly endpoints = new Map<string, PendingLog>();
  /** Endpoints whose entries will be written in the next round. */
  private readonly next: string[] = [];
  /** Endpoints in the current round whose write has not started yet. */
  private readonly due: string[] = [];
  private readonly pace = new Pace(WRITE_INTERVAL_MS, BURST_ROUNDS);
  private round: NodeJS.Timeout | null = null;
  private readonly running = new Set<Promise<void>>();
  private total = 0;
  private isStopping = false;

  constructor(
    private readonly logRequests: LogRequests,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Adds an entry. Never throws, never waits. */
  record(endpointId: string, entry: LoggedRequest): void {
    const pending = this.endpoints.get(endpointId) ?? {
      entries: [],
      isScheduled: false,
      writtenAt: -Infinity,
      writing: Promise.resolve(),
    };
    this.endpoints.set(endpointId, pending);
    pending.entries.push(entry);
    this.total += 1;
    if (pending.entries.length > MAX_ENTRIES || this.total > MAX_TOTAL) this.removeOldest(pending.entries);
    if (!pending.isScheduled) this.schedule(endpointId, pending);
  }

  /** Writes an endpoint's entries now, so that a reader of the log sees all earlier requests. Never throws. */
  async flush(endpointId: string): Promise<void> {
    const pending = this.endpoints.get(endpointId);
    if (!pending) return;
    const before = pending.writing;
    if (pending.entries.length > 0) await this.write(endpointId);
    await before;
  }

  /** Writes all remaining entries; gives up if the store is unavailable. */
  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const [endpointId, { entries }] of this.endpoints) if (entries.length > 0) this.due.push(endpointId);
    this.startWrites();
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private schedule(endpointId: string, pending: PendingLog, atLeast = BATCH_MS): void {
    pending.isScheduled = true;
    const wait = Math.max(atLeast, pending.writtenAt + WRITE_INTERVAL_MS - performance.now());
    const timer = setTimeout(() => {
      if (this.endpoints.get(endpointId)?.entries.length === 0) {
        this.endpoints.delete(endpointId); // no request since the last write
        return;
      }
      this.next.push(endpointId);
      this.round ??= setTimeout(() => this.startRound(), this.pace.delay()).unref();
    }, wait);
    timer.unref();
  }

  private startRound(): void {
    this.round = null;
    this.pace.take();
    this.due.push(...this.next.splice(0));
    this.startWrites();
  }

  private startWrites(): void {
    while (this.running.size < MAX_CONCURRENT_WRITES && this.due.length > 0) {
      const write: Promise<void> = this.write(this.due.shift()!).then(() => {
        this.running.delete(write);
        this.startWrites();
      });
      this.running.add(write);
    }
  }

  private async write(endpointId: string): Promise<void> {
    const pending = this.endpoints.get(endpointId);
    if (!pending || pending.entries.length === 0) return;
    pending.writing = this.writeEntries(endpointId, pending);
    await pending.writing;
  }

  private async writeEntries(endpointId: string, pending: PendingLog): Promise<void> {
    const entries = pending.entries.splice(0);
    this.total -= entries.length;
    let atLeast = BATCH_MS;
    try {
      await this.logRequests.execute(endpointId, entries);
    } catch (error) {
      const detail = { endpoint_id: endpointId, reason: reasonOf(error) };
      if (isStoreOutage(error) && !this.isStopping)
        this.log.debug(detail, 'the request log of an endpoint waits until the event store is available');
      else this.log.warn(detail, 'failed to write the request log of an endpoint');
      if (this.isStopping) {
        this.due.length = 0;
        return;
      }
      pending.entries.unshift(...entries);
      this.total += entries.length;
      while (pending.entries.length > MAX_ENTRIES) this.removeOldest(pending.entries);
      atLeast = RETRY_MS;
    }
    pending.writtenAt = performance.now();
    if (!this.isStopping) this.schedule(endpointId, pending, atLeast);
  }

  /** Removes the entry of the request that arrived first. Entries are in response order, not in arrival order. */
  private removeOldest(entries: LoggedRequest[]): void {
    const times = entries.map(({ at }) => at);
    entries.splice(times.indexOf(Math.min(...times)), 1);
    this.total -= 1;
  }
}

/** The fields of a request log entry (D-33) that the gate and the controllers fill in. */
export interface RequestLogEntry {
  /** Null until an endpoint is found. A request without an endpoint appears only in the service's own log (D-14). */
  endpointId: string | null;
  /** `trace_id` of the body, if it could be read. */
  traceId: string | null;
  postId: string | null;
  /** If null, a successful response counts as `accepted`. */
  decision: Decision | null;
  reason: string | null;
  why: JsonObject | null;
  /** True if the event that records the post or its idempotency key also stores the entry. */
  isStored: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for requests that no endpoint's log records, such as requests to the sandbox (D-44). */
    logEntry: RequestLogEntry | null;
  }
}

/** Maximum length of a logged User-Agent, in characters. */
const MAX_USER_AGENT = 500;

export const openLogEntry = (request: FastifyRequest): void => {
  request.logEntry = {
    endpointId: null,
    traceId: null,
    postId: null,
    decision: null,
    reason: null,
    why: null,
    isStored: false,
  };
};

/** Sets the endpoint whose log records a request. */
export const setLogEndpoint = (
  { logEntry }: FastifyRequest,
  { endpoint_id }: Pick<EndpointSnapshot, 'endpoint_id'>,
): void => {
  if (logEntry) logEntry.endpointId = endpoint_id;
};

/** Records why a request was rejected (D-36). */
export const setLogRejection = (request: FastifyRequest, { decision, reason, why, endpoint }: GateRejection): void => {
  request.decision = decision;
  if (!request.logEntry) return;
  if (endpoint) setLogEndpoint(request, endpoint);
  Object.assign(request.logEntry, { decision, reason, why });
};

/** Returns the fields that identify a request in a log line. */
export const describeRequest = ({ id, logEntry }: FastifyRequest): { request_id: string; trace_id?: string } => {
  const traceId = logEntry?.traceId;
  return { request_id: id, ...(typeof traceId === 'string' && { trace_id: traceId }) };
};

/** Returns the User-Agent, shortened for the log; null if none was sent. */
export const readUserAgent = (request: FastifyRequest): string | null => {
  const sent = readHeaderText(request, 'user-agent');
  if (sent === undefined || sent.length <= MAX_USER_AGENT) return sent ?? null;
  return Array.from(sent).slice(0, MAX_USER_AGENT).join('');
};

/**
 * Returns the route in the specification's notation. The specification uses `{post_id}` in the route that reads a post,
 * but `{id}` in the routes that change it:
 * `GET /v1/webhooks/{slug}/posts/{post_id}`, `PATCH /v1/webhooks/{slug}/posts/{id}` (D-63).
 */
export const readRoute = ({ method, routeOptions }: FastifyRequest): string => {
  const path = (routeOptions.url ?? '').replace(/:(\w+)/g, '{$1}');
  return `${method} ${method === 'GET' ? path : path.replace('{post_id}', '{id}')}`;
};

/** Returns the time since the request's head arrived, in ms, rounded to hundredths. */
export const measureLatency = ({ arrivedAt }: Pick<FastifyRequest, 'arrivedAt'>): number =>
  Math.round((performance.now() - arrivedAt) * 100) / 100;

/** Records the log entries of answered requests, except those that an event has stored. */
export const recordResponses = (fastify: FastifyInstance, recorder: RequestRecorder): void => {
  fastify.decorateRequest('logEntry', null);
  fastify.addHook('onResponse', (request, reply, done) => {
    const { logEntry } = request;
    if (logEntry) {
      const decision = logEntry.decision ?? (reply.statusCode < 300 ? 'accepted' : null);
      request.decision = decision ?? '';
      if (decision && logEntry.endpointId !== null && !logEntry.isStored) {
        recorder.record(logEntry.endpointId, {
          request_id: request.id,
          at: request.receivedAt,
          ip: request.clientAddress,
          user_agent: readUserAgent(request),
          route: readRoute(request),
          decision,
          reason: logEntry.reason,
          http_status: reply.statusCode,
          latency_ms: measureLatency(request),
          payload_bytes: measureBody(request),
          trace_id: logEntry.traceId,
          post_id: logEntry.postId,
          why: logEntry.why,
        });
      }
    }
    done();
  });
};
