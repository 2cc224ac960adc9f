import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { ChangeFeed } from '../../../changes/change-feed.js';
import type { Log } from '../../../kernel/log.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { STREAM_MESSAGES } from '../messages.js';
import { ChangeStream, type StreamReader } from './change-stream.js';

/** Limits and intervals of a process's streams. */
export const STREAM_OPTIONS = {
  perProcess: 100,
  /** Per owner, in each process. */
  perOwner: 5,
  commentMs: 15_000,
  /** Interval between checks for readers that are behind, in ms. */
  checkMs: 5_000,
  behind: { bytes: 1_048_576, ms: 30_000 },
};

/** See {@link STREAM_OPTIONS}. */
export type StreamOptions = typeof STREAM_OPTIONS;

const RETRY_AFTER = { 'retry-after': '30' };

/** The open change streams of a process. They end when the process stops. */
export class ChangeStreams implements BeforeApplicationShutdown {
  private readonly streams = new Set<ChangeStream>();
  /** Number of open streams that were opened with an owner's key, by owner. */
  private readonly perOwner = new Map<string, number>();
  private timers: readonly NodeJS.Timeout[] = [];
  private isStopping = false;

  constructor(
    private readonly feed: Pick<ChangeFeed, 'listen'>,
    private readonly log: Log,
    private readonly options: StreamOptions = STREAM_OPTIONS,
  ) {}

  /** The number of open streams. */
  get size(): number {
    return this.streams.size;
  }

  /** Opens a stream and returns its body. @throws HttpProblem 429 at a limit, 503 while stopping @throws Unavailable */
  async open(reader: StreamReader, response: ServerResponse): Promise<Readable> {
    const holder = reader.keyHash === null ? null : reader.ownerId;
    this.requireRoom(holder);
    this.count(holder, 1);
    const stream = new ChangeStream(reader, response, this.options.behind, () =>
      this.log.info({ owner_id: holder }, 'closed a change stream: its reader is too far behind'),
    );
    const { body } = stream;
    let leave: (() => void) | null = null;
    body.once('close', () => {
      this.count(holder, -1);
      this.streams.delete(stream);
      if (this.streams.size === 0) this.stopTimers();
      leave?.();
    });
    response.once('close', () => body.destroy()); // the reader may disconnect before the response begins
    this.streams.add(stream);
    this.startTimers();
    try {
      leave = await this.feed.listen(stream, reader.after);
    } catch (error) {
      body.destroy();
      throw error;
    }
    if (body.destroyed) leave();
    return body;
  }

  /** Ends all streams, so the server need not wait for them. */
  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const stream of this.streams) stream.end('shutdown');
  }

  private requireRoom(holder: string | null): void {
    const { perOwner, perProcess } = this.options;
    if (this.isStopping) throw HttpProblem.withMessage(503, 'unavailable', STREAM_MESSAGES.stopping, RETRY_AFTER);
    const refuse = (message: string): never => {
      throw HttpProblem.withMessage(429, 'too_many_streams', message, RETRY_AFTER);
    };
    if (holder !== null && (this.perOwner.get(holder) ?? 0) >= perOwner)
      refuse(STREAM_MESSAGES.tooManyOfOwner({ limit: perOwner }));
    if (this.streams.size >= perProcess) refuse(STREAM_MESSAGES.tooMany({ limit: perProcess }));
  }

  private count(holder: string | null, change: 1 | -1): void {
    if (holder === null) return;
    const count = (this.perOwner.get(holder) ?? 0) + change;
    if (count > 0) this.perOwner.set(holder, count);
    else this.perOwner.delete(holder);
  }

  private startTimers(): void {
    if (this.timers.length > 0) return;
    const every = (ms: number, act: (stream: ChangeStream) => void) =>
      setInterval(() => this.streams.forEach(act), ms).unref();
    const { commentMs, checkMs } = this.options;
    this.timers = [every(commentMs, (stream) => stream.comment()), every(checkMs, (stream) => stream.closeIfStalled())];
  }

  private stopTimers(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
  }
}
