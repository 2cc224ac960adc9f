import type { Pool } from 'pg';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';
import type { Publishers } from '../../platforms/publishers.js';
import type { Leases } from '../../postgres/leases.js';
import { Backoff } from '../../runtime/backoff.js';
import { RepeatedFailure } from '../../runtime/repeated-failure.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import type { SecretVault } from '../../secrets/vault.js';

/** Dependencies of {@link DueErasures}. */
export interface DueErasuresDependencies {
  readonly pool: Pool;
  readonly vault: SecretVault;
  readonly publishers: Publishers;
  readonly leases: Leases;
  readonly log: Log;
}

const LEASE = 'erase-due';
/** Interval of the sweeps in ms: what is due is gone within a minute (D-56). */
const SWEEP_MS = 5_000;
/** Secrets of one sweep at most; the next follows at once where there are more. */
const BATCH_SIZE = 100;
const RETRY = { firstMs: 100, longestMs: 10_000 };

/**
 * Erases what is due, in one process at a time: secrets of `ops_erasure`, and rows of `ops_pace` whose calls no limit counts
 * any more. A secret goes before its note, so that a crash in between repeats the erasure.
 */
export class DueErasures {
  constructor(private readonly deps: DueErasuresDependencies) {}

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(RETRY);
    const failure = new RepeatedFailure();
    while (!signal.aborted) {
      try {
        const lease = await this.deps.leases.acquire(LEASE, signal);
        if (!lease) return;
        try {
          await this.sweepUntil(AbortSignal.any([signal, lease.lost]));
        } finally {
          await lease.release();
        }
        backoff.reset();
        failure.clear();
      } catch (error) {
        const reason = reasonOf(error);
        if (failure.shouldLog(reason)) this.deps.log.warn({ error: reason }, 'failed to erase what is due; retrying');
        await backoff.wait(signal);
      }
    }
  }

  private async sweepUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const erased = await this.eraseSecrets();
      if (erased === BATCH_SIZE) continue;
      await this.eraseIdlePaces();
      await sleepUnlessAborted(SWEEP_MS, signal);
    }
  }

  /** @returns the number of secrets erased */
  private async eraseSecrets(): Promise<number> {
    const { pool, vault } = this.deps;
    const { rows } = await pool.query<{ secret_id: string }>(
      'select secret_id from ops_erasure where due_at <= clock_timestamp() order by due_at limit $1',
      [BATCH_SIZE],
    );
    const ids = rows.map(({ secret_id }) => secret_id);
    for (const id of ids) await vault.eraseSecret(id);
    if (ids.length > 0) await pool.query('delete from ops_erasure where secret_id = any($1)', [ids]);
    return ids.length;
  }

  /** Their keys name chats and hashes of credentials. A row whose newest call is older than every limit says nothing. */
  private async eraseIdlePaces(): Promise<void> {
    const { publishers, pool } = this.deps;
    const paces = publishers.platforms.map((platform) => publishers.get(platform).pace);
    const windows = paces.flatMap(({ perChannel, perCredential }) => [...perChannel, ...perCredential]);
    const longestMs = Math.max(0, ...windows.map(({ perMs }) => perMs));
    await pool.query(
      `delete from ops_pace where slots[cardinality(slots)] < clock_timestamp() - $1 * interval '1 ms'`,
      [longestMs],
    );
  }
}
