import type { Pool } from 'pg';
import type { Position, StoredEvent } from '../../event-store/port.js';
import type { Instant } from '../../kernel/instant.js';
import { withoutSyncCommit } from '../../postgres/pool.js';

/** Thrown if another process has moved the checkpoint. */
export class CheckpointConflict extends Error {}

/** Delay, in ms, after which the checkpoint moves past events that the saga does not receive. */
const IDLE_MS = 5_000;

/** The position up to which a saga has handled events. It moves only from the position that this process expects. */
export class SagaCheckpoint {
  private known: Position = -1n;
  /** Position of the move that {@link moveSoon} has scheduled; null if there is none. */
  private pending: Position | null = null;
  private timer: NodeJS.Timeout | undefined;
  private moving: Promise<void> = Promise.resolve();

  /** @param key `saga/<name>` */
  constructor(
    private readonly pool: Pool,
    private readonly key: string,
  ) {}

  /** Reads the position, which is `start` for a new saga. */
  async load(start: Position): Promise<Position> {
    const { rows } = await this.pool.query<{ position: bigint }>(
      `with new as (
         insert into ops_checkpoint (name, version, code, position) values ($1, 1, 1, $2)
         on conflict do nothing returning position)
       select position from new union all select position from ops_checkpoint where name = $1 and version = 1`,
      [this.key, start],
    );
    return (this.known = rows[0]!.position);
  }

  /** @throws CheckpointConflict if the checkpoint is not at the position that this process expects */
  async requireUnmoved(): Promise<void> {
    const text = 'select 1 from ops_checkpoint where name = $1 and version = 1 and position = $2';
    const { rowCount } = await this.pool.query(text, [this.key, this.known]);
    if (rowCount !== 1) throw new CheckpointConflict(`${this.key} is not at ${this.known}`);
  }

  /** Moves the checkpoint and clears its failure. @throws CheckpointConflict if another process has moved it */
  moveTo(position: Position): Promise<void> {
    this.cancelTimer();
    const move = this.moving.then(() => this.move(position));
    this.moving = move.catch(() => undefined);
    return move;
  }

  /** Moves the checkpoint within five seconds: for events that the saga does not receive. */
  moveSoon(position: Position): void {
    this.pending = position;
    // Errors are ignored, because they recur at the next move.
    this.timer ??= setTimeout(() => void this.moveTo(this.pending!).catch(() => undefined), IDLE_MS);
  }

  /**
   * Moves the checkpoint up to a failing event, so that earlier events are not repeated with each attempt.
   * @param before position of the preceding event in the batch
   */
  async moveUpTo(before: Position | undefined): Promise<void> {
    const position = before ?? this.pending;
    if (position !== null) await this.moveTo(position);
  }

  /** Cancels the move that {@link moveSoon} has scheduled, and waits for a move in progress. */
  async stop(): Promise<void> {
    this.cancelTimer();
    await this.moving;
  }

  private cancelTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pending = null;
  }

  private async move(position: Position): Promise<void> {
    if (position <= this.known) return;
    const { rowCount } = await this.pool.query(
      `with moved as (
         update ops_checkpoint set position = $3, moved_at = now(), error = null, failure = null
         where name = $1 and version = 1 and position = $2 returning 1)
       select ${withoutSyncCommit} from moved`,
      [this.key, this.known, position],
    );
    if (rowCount !== 1) throw new CheckpointConflict(`${this.key} is ahead of ${this.known}`);
    this.known = position;
  }

  /** Records a failing event, unless the database is down. @param at time of the event; null if it cannot be read */
  async recordFailure(
    { id, type, position }: Pick<StoredEvent, 'id' | 'type' | 'position'>,
    error: unknown,
    at: Instant | null,
  ): Promise<void> {
    const message = `${type} ${id}: ${String(error)}`.slice(0, 2_000);
    const failure = { event_id: id, position: String(position), type, at };
    const text = `update ops_checkpoint set error = $2, failure = $3 where name = $1 and version = 1 and position < $4`;
    await this.pool.query(text, [this.key, message, failure, position]).catch(() => undefined);
  }
}
