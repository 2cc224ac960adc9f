import type { Pool } from 'pg';
import { readMemory } from './process-figures.js';

/** The state of a deployment at one moment of a soak. Sizes are in bytes, latencies in ms. */
export interface SoakSample {
  /** Seconds since the start. */
  readonly at: number;
  /** Posts accepted so far. */
  readonly posts: number;
  /** Latencies of the posts answered since the last sample. */
  readonly p50: number;
  readonly p99: number;
  /** Resident memory by process. */
  readonly memory: Readonly<Record<string, number>>;
  readonly connections: number;
  /** Publications that have not ended. */
  readonly waiting: number;
  /** Size on disk by table, with its indexes. */
  readonly tables: Readonly<Record<string, number>>;
}

/** Takes samples of a deployment. */
export class SoakSampler {
  readonly samples: SoakSample[] = [];
  private readonly startedAt = performance.now();
  private latencies: number[] = [];
  private posts = 0;

  constructor(
    private readonly pool: Pool,
    private readonly pids: Readonly<Record<string, number>>,
  ) {}

  /** Counts an accepted post. @param latency ms */
  addPost(latency: number): void {
    this.posts += 1;
    this.latencies.push(latency);
  }

  async takeSample(): Promise<void> {
    const latencies = this.latencies.sort((a, b) => a - b);
    this.latencies = [];
    const quantile = (q: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0;
    this.samples.push({
      at: Math.round((performance.now() - this.startedAt) / 1_000),
      posts: this.posts,
      p50: quantile(0.5),
      p99: quantile(0.99),
      memory: Object.fromEntries(Object.entries(this.pids).map(([name, pid]) => [name, readMemory(pid)])),
      ...(await this.readDatabase()),
    });
  }

  /** Returns the number of publications that have not ended. */
  async countWaiting(): Promise<number> {
    const { rows } = await this.pool.query<{ waiting: number }>(
      'select sum(queued + publishing)::int as waiting from publish_schedule.queue_depth',
    );
    return rows[0]!.waiting;
  }

  private async readDatabase(): Promise<Pick<SoakSample, 'connections' | 'waiting' | 'tables'>> {
    const { rows } = await this.pool.query<{ connections: number; waiting: number; tables: Record<string, number> }>(
      `select (select count(*)::int from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid()) as connections,
              (select sum(queued + publishing)::int from publish_schedule.queue_depth) as waiting,
              (select json_object_agg(s.schemaname || '.' || s.relname, pg_total_relation_size(s.relid))
                 from pg_stat_user_tables s) as tables`,
    );
    return rows[0]!;
  }
}

/** A figure whose median in the last third of a soak exceeds its median in the second third. */
export interface Growth {
  readonly figure: string;
  readonly second: number;
  readonly last: number;
}

/** Tables that grow with every post by their nature: the log itself and the posts that owners can read. */
const HISTORY = /\.(event|post|publication_attempt|publication)$|^posts_v\d+\./;
/** Difference that garbage collection and vacuum may cause in memory and tables between two equally loaded thirds. */
const ALLOWED = { ratio: 1.25, bytes: 48 * 1_024 * 1_024 };
/** Latencies may double between two thirds, since other programs share the processors. */
const ALLOWED_LATENCY = { ratio: 2, ms: 5 };

/**
 * Compares the second and the last third of a soak; the first third warms up.
 * @returns the figures that grew: memory and connections by process, tables other than the history, latencies
 */
export const findGrowth = (samples: readonly SoakSample[]): Growth[] => {
  const third = Math.floor(samples.length / 3);
  const [second, last] = [samples.slice(third, 2 * third), samples.slice(-third)];
  const compare = (
    figure: string,
    read: (sample: SoakSample) => number,
    allowed: number,
    ratio = ALLOWED.ratio,
  ): Growth[] => {
    const [before, after] = [median(second.map(read)), median(last.map(read))];
    return after > before * ratio + allowed ? [{ figure, second: before, last: after }] : [];
  };
  const names = Object.keys(samples.at(-1)!.memory);
  const tables = Object.keys(samples.at(-1)!.tables).filter((name) => !HISTORY.test(name));
  return [
    ...names.flatMap((name) => compare(`memory of ${name}`, ({ memory }) => memory[name]!, ALLOWED.bytes)),
    ...tables.flatMap((name) => compare(`table ${name}`, (sample) => sample.tables[name] ?? 0, ALLOWED.bytes / 8)),
    ...compare('connections', ({ connections }) => connections, 2),
    ...compare('median latency', ({ p50 }) => p50, ALLOWED_LATENCY.ms, ALLOWED_LATENCY.ratio),
    ...compare('p99 latency', ({ p99 }) => p99, ALLOWED_LATENCY.ms, ALLOWED_LATENCY.ratio),
  ];
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
