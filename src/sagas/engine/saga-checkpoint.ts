import type { Pool } from 'pg';
import type { Position, StoredEvent } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import { withoutSyncCommit } from '../../postgres/pool.js';
import { type LaneEvent, sizeOf } from './parked-events.js';

/** Thrown if another process has moved the checkpoint. */
export class CheckpointConflict extends Error {}

/** Delay, in ms, after which the checkpoint moves past events that the saga does not receive. */
const IDLE_MS = 5_000;

/** Maximum number of failures to remember; a failure that is forgotten is recorded again at its next attempt. */
const MAX_FAILURES = 1_000;

/** A failing event, as `ops_checkpoint` stores it. `at`: time of the event; null if it cannot be read. */
interface Failure {
  readonly message: string;
  readonly event_id: string;
  readonly position: string;
  readonly type: string;
  readonly at: Instant | null;
}

/**
 * The position up to which a saga has read events: all of them are handled or parked. It moves only from the position
 * that this process expects. Also shows the oldest event that is failing.
 */
export class SagaCheckpoint {
  private known: Position = -1n;
  /** The failing events, by id. */
  private readonly failures = new Map<string, Failure>();
  /** Position of the move that {@link moveSoon} has scheduled; null if there is none. */
  private pending: Position | null = null;
  private timer: NodeJS.Timeout | undefined;
  private moving: Promise<void> = Promise.resolve();

  /** @param key `saga/<name>` */
  constructor(
    private readonly pool: Pool,
    private readonly key: string,
  ) {}

  /** Reads the position, which is `start` for a new saga, and the failure that an earlier process recorded. */
  async load(start: Position): Promise<Position> {
    const { rows } = await this.pool.query<{ position: bigint; failure: Failure | null; isDue: boolean }>(
      `with new as (
         insert into ops_checkpoint (name, version, code, position) values ($1, 1, 1, $2)
         on conflict do nothing returning position)
       select position, null::jsonb as failure, false as "isDue" from new
       union all
       select c.position, c.failure || jsonb_build_object('message', c.error),
         f.position > c.position or exists (
           select from ops_parked_event p where p.saga = c.name and p.position = f.position)
       from ops_checkpoint c, lateral (select (c.failure->>'position')::bigint as position) f
       where c.name = $1 and c.version = 1`,
      [this.key, start],
    );
    const { position, failure, isDue } = rows[0]!;
    this.known = position;
    this.failures.clear();
    if (failure && isDue) this.failures.set(failure.event_id, failure);
    else if (failure) await this.showFailure(); // the event was handled, but its process died before it recorded that
    return position;
  }

  /** @throws CheckpointConflict if the checkpoint is not at the position that this process expects */
  async requireUnmoved(): Promise<void> {
    const { rowCount } = await this.pool.query({
      name: 'require an unmoved saga',
      text: 'select 1 from ops_checkpoint where name = $1 and version = 1 and position = $2',
      values: [this.key, this.known],
    });
    if (rowCount !== 1) throw new CheckpointConflict(`${this.key} is not at ${this.known}`);
  }

  /**
   * Moves the checkpoint.
   * @param parked events up to this position that are not handled yet
   * @throws CheckpointConflict if another process has moved it
   */
  moveTo(position: Position, parked: readonly LaneEvent[] = []): Promise<void> {
    this.cancelTimer();
    return this.inTurn(() => this.move(position, parked));
  }

  /** Moves the checkpoint within five seconds: for events that the saga does not receive. */
  moveSoon(position: Position): void {
    this.pending = position;
    // Errors are ignored, because they recur at the next move.
    this.timer ??= setTimeout(() => void this.moveTo(this.pending!).catch(() => undefined), IDLE_MS);
  }

  /**
   * Moves the checkpoint up to an event that cannot be read, so that earlier events are not repeated with each attempt.
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

  /** Runs updates of the checkpoint one after another. */
  private inTurn(update: () => Promise<void>): Promise<void> {
    const updating = this.moving.then(update);
    this.moving = updating.catch(() => undefined);
    return updating;
  }

  private async move(position: Position, parked: readonly LaneEvent[]): Promise<void> {
    if (position <= this.known) return;
    const { rowCount } = await this.pool.query({
      name: 'move a saga',
      text: `with moved as (
         update ops_checkpoint set position = $3, moved_at = now()
         where name = $1 and version = 1 and position = $2 returning 1),
       parked as (
         insert into ops_parked_event (saga, lane, event_id, stream, position, revision, bytes)
         select $1, p.* from moved, unnest($4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::int[]) p
         on conflict do nothing)
       select ${withoutSyncCommit} from moved`,
      values: [
        ...[this.key, this.known, position],
        parked.map(({ lane }) => lane),
        parked.map(({ stored }) => stored.id),
        parked.map(({ stored }) => stored.stream),
        parked.map(({ stored }) => stored.position),
        parked.map(({ stored }) => stored.revision),
        parked.map(({ stored }) => sizeOf(stored)),
      ],
    });
    if (rowCount !== 1) throw new CheckpointConflict(`${this.key} is ahead of ${this.known}`);
    this.known = position;
  }

  /** Records a failing event, unless the database is down. @param at time of the event; null if it cannot be read */
  async recordFailure(
    { id, type, position }: Pick<StoredEvent, 'id' | 'type' | 'position'>,
    error: unknown,
    at: Instant | null,
  ): Promise<void> {
    if (this.failures.size >= MAX_FAILURES && !this.failures.has(id)) return;
    const message = `${type} ${id}: ${String(error)}`.slice(0, 2_000);
    this.failures.set(id, { message, event_id: id, position: String(position), type, at });
    if (this.findOldestFailure()?.event_id === id) await this.showFailure();
  }

  /** Removes the failure of an event that is now handled or skipped. */
  async clearFailure(eventId: string): Promise<void> {
    if (this.failures.delete(eventId)) await this.showFailure();
  }

  /** Shows the oldest failing event. Another process that has moved the checkpoint shows its own. */
  private showFailure(): Promise<void> {
    return this.inTurn(async () => {
      const { message, ...failure } = this.findOldestFailure() ?? { message: null };
      const text = `update ops_checkpoint set error = $3, failure = $4 where name = $1 and version = 1 and position = $2`;
      const values = [this.key, this.known, message, message === null ? null : failure];
      await this.pool.query(text, values).catch(() => undefined);
    });
  }

  private findOldestFailure(): Failure | undefined {
    const [oldest] = [...this.failures.values()].sort((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1));
    return oldest;
  }
}
