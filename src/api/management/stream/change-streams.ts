import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Change, coalesceChanges } from '../../../changes/change.js';
import { ChangeFeed, type ChangeListener } from '../../../changes/change-feed.js';
import type { Instant } from '../../../kernel/clock.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { STREAM_MESSAGES } from '../messages.js';
import { ConsoleSessions } from '../sessions/console-sessions.js';

/** One owner's part of a batch of changes. */
interface OwnChanges {
  readonly changes: Change[];
  /** The changes as events; null until a reader needs them. */
  text: string | null;
}

/** Parts of each batch by owner id; null for all changes. Built once for all readers: there may be a thousand. */
const batches = new WeakMap<readonly Change[], Map<string | null, OwnChanges>>();

const partOf = (changes: readonly Change[], ownerId: string | null): OwnChanges | undefined => {
  let parts = batches.get(changes);
  if (!parts) {
    parts = new Map([[null, { changes: [...changes], text: null }]]);
    for (const change of changes) {
      if (change.ownerId === null) continue;
      const part = parts.get(change.ownerId);
      if (part) part.changes.push(change);
      else parts.set(change.ownerId, { changes: [change], text: null });
    }
    batches.set(changes, parts);
  }
  return parts.get(ownerId);
};

/**
 * Formats an owner's changes as server-sent events; empty if there are none. Readers of the same batch share the text.
 * @param ownerId null for all owners
 */
export const writeChanges = (changes: readonly Change[], ownerId: string | null): string => {
  const part = partOf(changes, ownerId);
  if (!part) return '';
  part.text ??= coalesceChanges(part.changes)
    .map(({ position, kind, ids }) => writeEvent('change', { kind, ids }, position))
    .join('');
  return part.text;
};

/** Formats one event. @param position where the reader resumes after the event; null if unchanged */
export const writeEvent = (event: 'change' | 'bye', data: object, position: bigint | null): string =>
  `${position === null ? '' : `id: ${position}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Formats a keep-alive comment with the position that the reader has reached. */
export const writeComment = (text: string, position: bigint): string => `: ${text}\nid: ${position}\n\n`;

/** Bounds on how far a reader may fall behind. */
export interface ReaderBounds {
  /** Maximum number of unsent bytes. */
  readonly bytes: number;
  /** How long a stream may have unsent bytes, in ms. */
  readonly ms: number;
}

/** The key that a reader sent. */
export interface ReaderKey {
  readonly id: string;
  /** Null for an auditor of all owners. */
  readonly ownerId: string | null;
  /** SHA-256, hex. */
  readonly hash: string;
  /** When it stops working; null if it does not. */
  readonly until: Instant | null;
}

export interface StreamReader {
  /** Owner whose changes the reader receives; null for all owners. */
  readonly ownerId: string | null;
  /** Null for the operator's own key. */
  readonly key: ReaderKey | null;
  /** The sign-in that the request belongs to, see {@link sessionOf}; null if the reader sent the key itself. */
  readonly session?: string | null;
  /** Position of the last change that the reader has received; null if there is nothing to replay. */
  readonly after: bigint | null;
}

/**
 * Why the process ends a stream: it stops, the key was changed or has expired, the sign-in has ended, or another owner
 * needs the place.
 */
export type EndOfStream = 'shutdown' | 'key_revoked' | 'key_expired' | 'session_ended' | 'too_many_streams';

/**
 * One open stream. It ends when the reader disconnects, the process stops or the reader's key changes. A reader that
 * falls too far behind is disconnected, because its unsent events would fill up memory.
 */
export class ChangeStream implements ChangeListener {
  /** The body of the response. */
  readonly body = new Readable({ read: () => undefined });
  /** Position of the last change sent to the reader; null until known. */
  private position: bigint | null;
  /** True once the missed changes have been sent. */
  private isOpened = false;
  private isEnded = false;
  /**
   * `performance.now()` timestamp, in ms, of the check that first found the reader behind; null if the latest check
   * found no unsent bytes.
   */
  private behindSince: number | null = null;

  /** @param onBehind called when the reader is disconnected because it is too far behind */
  constructor(
    private readonly reader: StreamReader,
    private readonly response: Pick<ServerResponse, 'writableLength'>,
    private readonly bounds: ReaderBounds,
    private readonly onBehind: () => void,
  ) {
    this.position = reader.after;
  }

  get isGone(): boolean {
    return this.body.destroyed;
  }

  get session(): string | null {
    return this.reader.session ?? null;
  }

  onChanges(changes: readonly Change[], position: bigint): void {
    const { position: sent } = this;
    // The reader may already have received some of these changes from another process that was ahead.
    const isNew = sent === null || !changes[0] || changes[0].position > sent;
    const unsent = isNew ? changes : changes.filter((change) => change.position > sent);
    this.write(writeChanges(unsent, this.reader.ownerId));
    if (sent === null || position > sent) this.position = position;
    if (this.isOpened && this.isRevokedBy(unsent)) this.end('key_revoked');
  }

  onReset(position: bigint): void {
    // A reader that has resumed here may be ahead of this process. Before that, its position may be of another log.
    const { position: sent } = this;
    this.position = this.isOpened && sent !== null && sent > position ? sent : position;
    this.write(writeEvent('change', { kind: 'reset', ids: [] }, this.position));
  }

  /** Sends the position at once: a reader that loses its connection before the first change can resume from it. */
  onCaughtUp(position: bigint): void {
    this.isOpened = true;
    this.position ??= position;
    this.comment();
  }

  /** Keeps an idle connection open. */
  comment(): void {
    if (this.position !== null) this.write(writeComment('keep-alive', this.position));
  }

  /** Disconnects a reader that has been behind for too long. @param now `performance.now()` timestamp, in ms */
  closeIfStalled(now = performance.now()): void {
    if (this.unsentBytes === 0) this.behindSince = null;
    else this.behindSince ??= now;
    if (this.behindSince !== null && now - this.behindSince >= this.bounds.ms) this.closeBehind();
  }

  /** Sends `bye` and ends the response. */
  end(reason: EndOfStream): void {
    if (this.body.destroyed || this.isEnded) return;
    this.write(writeEvent('bye', { reason }, this.position));
    this.isEnded = true;
    this.body.push(null);
  }

  private get unsentBytes(): number {
    return this.body.readableLength + this.response.writableLength;
  }

  /** True if these changes ended the reader's key. The key was valid when the stream was opened. */
  private isRevokedBy(changes: readonly Change[]): boolean {
    const { key } = this.reader;
    if (key === null) return false;
    const last = changes.findLast(
      ({ endedKeys, ownerId }) =>
        endedKeys && (endedKeys.keyId === null ? ownerId === key.ownerId : endedKeys.keyId === key.id),
    );
    return last !== undefined && last.endedKeys!.except !== key.hash;
  }

  private write(text: string): void {
    if (text === '' || this.body.destroyed || this.isEnded) return;
    this.body.push(text);
    if (this.unsentBytes > this.bounds.bytes) this.closeBehind();
  }

  private closeBehind(): void {
    if (this.body.destroyed) return;
    this.body.destroy();
    this.onBehind();
  }
}

/** Limits and intervals of a process's streams. */
export const STREAM_OPTIONS = {
  perProcess: 1_000,
  /** Part of `perProcess` that is kept for the operator. */
  forOperator: 10,
  /** Per owner, in each process. */
  perOwner: 5,
  commentMs: 15_000,
  /** Interval between checks for readers that are behind, and for sign-ins that have ended, in ms. */
  checkMs: 5_000,
  behind: { bytes: 262_144, ms: 30_000 },
};

/** Injection token for the {@link StreamOptions}. */
export const CHANGE_STREAM_OPTIONS = Symbol('ChangeStreamOptions');

/** See {@link STREAM_OPTIONS}. */
export type StreamOptions = typeof STREAM_OPTIONS;

/** The longest delay of a timer; a stream that it ends begins again. */
const MOST_MS = 2 ** 31 - 1;

const RETRY_AFTER = { 'retry-after': '30' };

/** Holder of the streams that were opened with the operator's key. The other holders are owners. */
const OPERATOR = 'operator';

/**
 * The open change streams of a process. They end when the process stops. If all places are taken, an owner with fewer
 * streams replaces the oldest stream of the owner with the most, so that a few owners cannot keep out the others (D-89).
 */
@Injectable()
export class ChangeStreams implements BeforeApplicationShutdown {
  /** All streams that are not closed, including ended ones whose last bytes are still being sent. */
  private readonly streams = new Set<ChangeStream>();
  /** Streams that take up a place, by holder; the oldest first. */
  private readonly places = new Map<string, Set<ChangeStream>>();
  private taken = 0;
  private timers: readonly NodeJS.Timeout[] = [];
  private isStopping = false;

  constructor(
    @Inject(ChangeFeed) private readonly feed: Pick<ChangeFeed, 'listen'>,
    @Inject(LOG) private readonly log: Log,
    @Inject(CHANGE_STREAM_OPTIONS) private readonly options: StreamOptions = STREAM_OPTIONS,
    @Inject(ConsoleSessions)
    private readonly sessions: Pick<ConsoleSessions, 'findOpen'> = { findOpen: async (all) => new Set(all) },
  ) {}

  /** The number of open streams. */
  get size(): number {
    return this.streams.size;
  }

  /** Opens a stream and returns its body. @throws HttpProblem 429 at a limit, 503 while stopping @throws Unavailable */
  async open(reader: StreamReader, response: ServerResponse): Promise<Readable> {
    const { key } = reader;
    const holder = key === null ? OPERATOR : (key.ownerId ?? key.id);
    this.makeRoom(holder);
    const stream = new ChangeStream(reader, response, this.options.behind, () =>
      this.log.info({ holder }, 'closed a change stream: its reader is too far behind'),
    );
    const { body } = stream;
    this.takePlace(holder, stream);
    response.once('close', () => body.destroy()); // the reader may disconnect before the response begins
    this.streams.add(stream);
    this.startTimers();
    const until = key?.until ?? null;
    if (until !== null) {
      const expiry = setTimeout(() => stream.end('key_expired'), Math.min(until - Date.now(), MOST_MS)).unref();
      body.once('close', () => clearTimeout(expiry));
    }
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
    this.timers = [
      every(commentMs, (stream) => stream.comment()),
      every(checkMs, (stream) => stream.closeIfStalled()),
      setInterval(() => void this.endWithSessions(), checkMs).unref(),
    ];
  }

  /** Ends the streams of sign-ins that have ended, in whichever process. An outage of the database ends none. */
  private async endWithSessions(): Promise<void> {
    const signedIn = [...this.streams].filter(({ session, isGone }) => session !== null && !isGone);
    if (signedIn.length === 0) return;
    const open = await this.sessions.findOpen(signedIn.map(({ session }) => session!)).catch(() => null);
    for (const stream of signedIn) if (open?.has(stream.session!) === false) stream.end('session_ended');
  }

  private stopTimers(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
  }
}
