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
  perProcess: 1_000,
  /** Part of `perProcess` that is kept for the operator. */
  forOperator: 10,
  /** Per owner, in each process. */
  perOwner: 5,
  commentMs: 15_000,
  /** Interval between checks for readers that are behind, in ms. */
  checkMs: 5_000,
  behind: { bytes: 262_144, ms: 30_000 },
};

/** See {@link STREAM_OPTIONS}. */
export type StreamOptions = typeof STREAM_OPTIONS;

const RETRY_AFTER = { 'retry-after': '30' };

/** Holder of the streams that were opened with the operator's key. The other holders are owners. */
const OPERATOR = 'operator';

/**
 * The open change streams of a process. They end when the process stops. If all places are taken, an owner with fewer
 * streams replaces the oldest stream of the owner with the most, so that a few owners cannot keep out the others (D-89).
 */
export class ChangeStreams implements BeforeApplicationShutdown {
  /** All streams that are not closed, including ended ones whose last bytes are still being sent. */
  private readonly streams = new Set<ChangeStream>();
  /** Streams that take up a place, by holder; the oldest first. */
  private readonly places = new Map<string, Set<ChangeStream>>();
  private taken = 0;
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
    const holder = reader.keyHash === null ? OPERATOR : reader.ownerId!;
    this.makeRoom(holder);
    const stream = new ChangeStream(reader, response, this.options.behind, () =>
      this.log.info({ holder }, 'closed a change stream: its reader is too far behind'),
    );
    const { body } = stream;
    this.takePlace(holder, stream);
    response.once('close', () => body.destroy()); // the reader may disconnect before the response begins
    this.streams.add(stream);
    this.startTimers();
    const closed = new Promise<void>((resolve) => body.once('close', resolve)).then(() => {
      this.freePlace(holder, stream);
      this.streams.delete(stream);
      if (this.streams.size === 0) this.stopTimers();
    });
    try {
      const leave = await this.feed.listen(stream, reader.after);
      void closed.then(leave);
    } catch (error) {
      body.destroy();
      throw error;
    }
    return body;
  }

  /** Ends all streams, so the server need not wait for them. */
  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const stream of this.streams) stream.end('shutdown');
  }

  /** Makes sure that a place is free for a holder. @throws HttpProblem 429 if none is, 503 while stopping */
  private makeRoom(holder: string): void {
    const { perOwner, perProcess, forOperator } = this.options;
    if (this.isStopping) throw HttpProblem.withMessage(503, 'unavailable', STREAM_MESSAGES.stopping, RETRY_AFTER);
    const refuse = (message: string): never => {
      throw HttpProblem.withMessage(429, 'too_many_streams', message, RETRY_AFTER);
    };
    const own = this.countOf(holder);
    if (holder !== OPERATOR && own >= perOwner) refuse(STREAM_MESSAGES.tooManyOfOwner({ limit: perOwner }));
    const kept = holder === OPERATOR ? 0 : Math.max(0, forOperator - this.countOf(OPERATOR));
    if (this.taken + kept < perProcess) return;
    const donor = holder === OPERATOR ? null : this.findDonor(own);
    if (donor === null) return refuse(STREAM_MESSAGES.tooMany({ limit: perProcess }));
    const [oldest] = this.places.get(donor)!;
    this.freePlace(donor, oldest!);
    oldest!.end('too_many_streams');
    this.log.info({ holder: donor }, 'ended a change stream: another owner, with fewer streams, needs its place');
  }

  /**
   * Returns the holder that gives up a place for an owner: the operator if it has more than its part, else the owner with
   * the most streams. Null if no owner would be left with more streams than the new owner gets: otherwise, owners that
   * reconnect would displace each other for ever.
   */
  private findDonor(own: number): string | null {
    if (this.countOf(OPERATOR) > this.options.forOperator) return OPERATOR;
    let donor: string | null = null;
    let most = own + 1;
    for (const [holder, { size }] of this.places)
      if (holder !== OPERATOR && size > most) [donor, most] = [holder, size];
    return donor;
  }

  private countOf(holder: string): number {
    return this.places.get(holder)?.size ?? 0;
  }

  private takePlace(holder: string, stream: ChangeStream): void {
    const streams = this.places.get(holder) ?? new Set();
    this.places.set(holder, streams.add(stream));
    this.taken += 1;
  }

  /** Frees a stream's place, unless it is free already. */
  private freePlace(holder: string, stream: ChangeStream): void {
    const streams = this.places.get(holder);
    if (!streams?.delete(stream)) return;
    this.taken -= 1;
    if (streams.size === 0) this.places.delete(holder);
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
