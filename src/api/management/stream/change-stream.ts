import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Change } from '../../../changes/change.js';
import type { ChangeListener } from '../../../changes/change-feed.js';
import { selectChanges, writeChanges, writeComment, writeEvent } from './event-text.js';

/** Bounds on how far a reader may fall behind. */
export interface ReaderBounds {
  /** Maximum number of unsent bytes. */
  readonly bytes: number;
  /** How long a stream may have unsent bytes, in ms. */
  readonly ms: number;
}

/** The reader of a stream. */
export interface StreamReader {
  /** Owner whose changes the reader receives; null for all owners. */
  readonly ownerId: string | null;
  /** SHA-256 (hex) of the owner's key that the reader sent; null for the operator. */
  readonly keyHash: string | null;
  /** Position of the last change that the reader has received; null if there is nothing to replay. */
  readonly after: bigint | null;
}

/** Reason why the process ends a stream: it stops, the owner's key is replaced, or another owner needs the place. */
export type EndOfStream = 'shutdown' | 'key_revoked' | 'too_many_streams';

/**
 * One open stream. It ends when the reader disconnects, the process stops or the reader's key is revoked. A reader that
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

  /** True if these changes made the reader's key invalid. The key was valid when the stream was opened. */
  private isRevokedBy(changes: readonly Change[]): boolean {
    const { keyHash, ownerId } = this.reader;
    if (keyHash === null) return false;
    const last = selectChanges(changes, ownerId).findLast(({ validKey }) => validKey !== undefined);
    return last !== undefined && last.validKey !== keyHash;
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
