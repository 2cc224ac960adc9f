import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/result.js';
import { sleepUnlessAborted } from '../runtime/sleep.js';
import { type KeyRing, openValue } from './key-ring.js';
import { SECRETS_MESSAGES } from './messages.js';
import { SEALED_TABLES } from './reseal-job.js';
import type { SealedSecret } from './vault.js';

/** Pause between checks of all secrets, in ms. */
const PAUSE_MS = 3_600_000;
/** Pause after a failure, such as a database outage, in ms. */
const RETRY_MS = 30_000;
/** Number of secrets to read at a time: decrypting this many takes a millisecond. */
const PAGE = 200;
/** Maximum number of ids to remember. A message lists only the first {@link NAMED}. */
const REMEMBERED = 1_000;
const NAMED = 3;

/** SQL: the names and values of a table. An erased key has no value. */
const selectFrom = ({ table, id, prefix }: (typeof SEALED_TABLES)[number]): string =>
  `select '${prefix}' || ${id} as id, sealed from ${table} where sealed is not null`;

/** Checks at startup, then every hour, for stored secrets that none of the process's keys can open. */
export class UnreadableSecrets {
  private readonly stopping = new AbortController();
  private loop: Promise<void> = Promise.resolve();
  private found: readonly string[] = [];

  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly ring: KeyRing,
    private readonly log: Log,
  ) {}

  start(): void {
    this.loop = this.look();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  /** Returns a message about stored secrets that are still unreadable; null if there are none. */
  async describe(): Promise<string | null> {
    if (this.found.length === 0) return null;
    const { rows } = await this.pool.query<SealedSecret>(
      `select * from (${SEALED_TABLES.map(selectFrom).join(' union all ')}) v where id = any($1) order by 1`,
      [this.found],
    );
    this.found = rows.filter((row) => !this.opens(row)).map(({ id }) => id);
    return this.describeFound();
  }

  private async look(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted)
      try {
        this.found = await this.findAll();
        const problem = this.describeFound();
        if (problem !== null) this.log.error({}, problem);
        await sleepUnlessAborted(PAUSE_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.log.warn({ reason: reasonOf(error) }, 'failed to look for secrets that cannot be decrypted');
        await sleepUnlessAborted(RETRY_MS, signal);
      }
  }

  private describeFound(): string | null {
    if (this.found.length === 0) return null;
    return SECRETS_MESSAGES.unreadable({
      count: this.found.length === REMEMBERED ? `${REMEMBERED} or more` : this.found.length,
      ids: this.found.slice(0, NAMED).join(', '),
    });
  }

  private async findAll(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const from of SEALED_TABLES)
      for (let after = ''; found.length < REMEMBERED && !this.stopping.signal.aborted;) {
        const { rows } = await this.pool.query<SealedSecret>(
          `${selectFrom(from)} and ${from.id} > $1 order by ${from.id} limit $2`,
          [after, PAGE],
        );
        found.push(...rows.filter((row) => !this.opens(row)).map(({ id }) => id));
        if (rows.length < PAGE) break;
        after = rows.at(-1)!.id.slice(from.prefix.length);
        await nextTurn();
      }
    return found.slice(0, REMEMBERED);
  }

  private opens({ id, sealed }: SealedSecret): boolean {
    try {
      openValue(this.ring, id, sealed);
      return true;
    } catch {
      return false;
    }
  }
}
