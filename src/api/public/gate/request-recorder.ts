import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { LogRequests } from '../../../commands/request-log/log-requests.js';
import type { AnsweredRequest } from '../../../domain/request-log/request-log.events.js';
import { type Log, LOG } from '../../../kernel/log.js';

/** Lines of one endpoint that wait to be written. */
interface Pending {
  lines: AnsweredRequest[];
  /** Its timer is set, or its turn has come; also for a while after it was written, so that it is not again at once. */
  isDue: boolean;
  /** When it was written last, `performance.now()`. */
  writtenAt: number;
  /** Ends with the write that was begun last. */
  writing: Promise<void>;
}

/** So few appends a second an endpoint causes, whatever is sent to it. */
const BETWEEN_WRITES_MS = 200;
/** How long a first line waits for company. */
const GATHER_MS = 20;
/** More is not kept of an endpoint anyway (publish-api.md: Limits, request log). */
const MAX_LINES = 100;
/** Of all endpoints together; beyond, a new line takes the place of its endpoint's oldest, or is not kept. */
const MAX_TOTAL = 20_000;
/** Appends under way at a time: the rest of the store is for posts. */
const LANES = 4;
const RETRY_MS = 1_000;

/**
 * Keeps requests that brought no post (D-33) without holding up those that do: lines are gathered in memory and written
 * in small batches, so that a flood of bad requests costs a few appends a second. What a killed process had in memory,
 * a fifth of a second's lines, is lost; an orderly stop writes everything.
 */
@Injectable()
export class RequestRecorder implements OnApplicationShutdown {
  private readonly endpoints = new Map<string, Pending>();
  private readonly due: string[] = [];
  private readonly running = new Set<Promise<void>>();
  private total = 0;
  private isStopping = false;

  constructor(
    private readonly commands: CommandBus,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Takes a line in; never throws, never waits. */
  record(endpointId: string, line: AnsweredRequest): void {
    const pending = this.endpoints.get(endpointId) ?? {
      ...{ lines: [], isDue: false, writtenAt: -Infinity },
      writing: Promise.resolve(),
    };
    this.endpoints.set(endpointId, pending);
    pending.lines.push(line);
    this.total += 1;
    if (pending.lines.length > MAX_LINES || this.total > MAX_TOTAL) {
      pending.lines.shift();
      this.total -= 1;
    }
    if (!pending.isDue) this.schedule(endpointId, pending);
  }

  /** Writes an endpoint's lines now: whoever reads the log finds what was answered before. Never throws. */
  async flush(endpointId: string): Promise<void> {
    const pending = this.endpoints.get(endpointId);
    if (!pending) return;
    const before = pending.writing;
    if (pending.lines.length > 0) await this.write(endpointId);
    await before;
  }

  /** Writes all that is left; gives up on a store that is away. */
  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const [endpointId, { lines }] of this.endpoints) if (lines.length > 0) this.due.push(endpointId);
    this.work();
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private schedule(endpointId: string, pending: Pending, atLeast = GATHER_MS): void {
    pending.isDue = true;
    const wait = Math.max(atLeast, pending.writtenAt + BETWEEN_WRITES_MS - performance.now());
    const timer = setTimeout(() => {
      this.due.push(endpointId);
      this.work();
    }, wait);
    timer.unref();
  }

  private work(): void {
    while (this.running.size < LANES && this.due.length > 0) {
      const lane: Promise<void> = this.write(this.due.shift()!).then(() => {
        this.running.delete(lane);
        this.work();
      });
      this.running.add(lane);
    }
  }

  private async write(endpointId: string): Promise<void> {
    const pending = this.endpoints.get(endpointId);
    if (!pending) return;
    if (pending.lines.length === 0) {
      this.endpoints.delete(endpointId); // nothing has come since it was written
      return;
    }
    pending.writing = this.writeLines(endpointId, pending);
    await pending.writing;
  }

  private async writeLines(endpointId: string, pending: Pending): Promise<void> {
    const lines = pending.lines.splice(0);
    this.total -= lines.length;
    let atLeast = GATHER_MS;
    try {
      await this.commands.execute(new LogRequests(endpointId, lines));
    } catch (error) {
      this.log.warn({ endpoint_id: endpointId, error: String(error) }, 'the request log could not be written');
      if (this.isStopping) {
        this.due.length = 0;
        return;
      }
      const kept = lines.slice(Math.max(0, lines.length + pending.lines.length - MAX_LINES));
      pending.lines.unshift(...kept);
      this.total += kept.length;
      atLeast = RETRY_MS;
    }
    pending.writtenAt = performance.now();
    if (!this.isStopping) this.schedule(endpointId, pending, atLeast);
  }
}
