import type { Infrastructure } from '../../../src/app/infrastructure.js';
import { createLogger } from '../../../src/config/logger.js';
import { channelPause } from '../../../src/domain/pause/pause.decider.js';
import type { Paused } from '../../../src/domain/pause/pause.events.js';
import type { Position } from '../../../src/event-store/port.js';
import type { RecordedEventOf } from '../../../src/kernel/events.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { isRejection } from '../../../src/kernel/result.js';
import { Notifications } from '../../../src/postgres/notifications.js';
import { createPool } from '../../../src/postgres/pool.js';
import { ProjectionProgress } from '../../../src/projections/engine/progress.js';
import { type Projection, readSchema } from '../../../src/projections/engine/projection.js';
import { ProjectionRunner } from '../../../src/projections/engine/runner.js';

/**
 * Returns a projection that counts the pauses of each channel. Code 2 and later add a column with the latest end.
 * @param beforeApply called before each batch
 */
export const countPauses = (name: string, code: number, beforeApply = async (): Promise<void> => {}): Projection => ({
  name,
  version: code,
  tables: `create table channel (channel_id text primary key, pauses int not null${code > 1 ? ', until bigint' : ''});`,
  views: ['channel'],
  handles: (type) => type === 'ChannelPaused',
  async apply(tx, events) {
    await beforeApply();
    for (const { data } of events as readonly RecordedEventOf<Paused<'Channel', 'channelId'>>[])
      await tx.query(
        `insert into channel as c (channel_id, pauses${code > 1 ? ', until' : ''}) values ($1, 1${code > 1 ? `, ${data.until}` : ''})
         on conflict (channel_id) do update set pauses = c.pauses + 1`,
        [data.channelId],
      );
  },
});

/** Pauses a channel; `minutes` must increase with every call. */
export const pauseChannel = async (on: Infrastructure, channelId: string, minutes: number): Promise<Position> => {
  const origin = { actor: 'test', requestId: '', causationId: '', correlationId: '', clientAddress: null };
  const how = { minutes, minuteMs: 60_000, source: 'temp-pause', postId: null } as const;
  const result = await on.aggregates.execute(
    channelPause,
    channelId,
    { type: 'PauseChannel', at: 0, channelId, ...how },
    { ...origin, commandId: newUuid(), at: 0 },
  );
  if (isRejection(result)) throw new Error(String(result.rejection));
  return result.aggregate.position;
};

/** A program with one version of a projection: the engine of a worker, and the readers of any process. */
export interface Program {
  readonly progress: ProjectionProgress;
  /** Reads the rows as the queries of this program do. */
  readonly readRows: () => Promise<object[]>;
  /** Ends the engine and frees its leases. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a program in a process.
 * @param statements number of statements after which its connections break and stay broken, as if it had been killed
 */
export const startProgram = async (
  on: Infrastructure,
  projection: Projection,
  statements = Infinity,
): Promise<Program & { readonly isDead: () => boolean }> => {
  const log = createLogger({ logLevel: 'silent' });
  const pool = createPool(on.connectionString, { max: 2, applicationName: 'program', logger: log });
  let left = statements;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...all: unknown[]) => unknown;
    const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
    client.query = ((...all: unknown[]) => {
      if (left-- <= 0) stream.destroy();
      return query(...all);
    }) as never;
  });
  const notifications = new Notifications(on.connectionString, log);
  await notifications.start();
  const progress = new ProjectionProgress(on.pool, notifications, [projection]);
  await progress.refresh();
  const stopping = new AbortController();
  const running = new ProjectionRunner(projection, { ...on, pool, progress, log }).run(stopping.signal);
  let stopped: Promise<void> | null = null;
  const stop = async () => {
    stopping.abort();
    await running;
    await notifications.stop();
    await pool.end();
  };
  return {
    progress,
    isDead: () => left < 0,
    readRows: async () => {
      const schema = readSchema(projection.name, projection.version);
      return (await on.pool.query<object>(`select * from ${schema}.channel order by 1`)).rows;
    },
    stop: () => (stopped ??= stop()),
  };
};
