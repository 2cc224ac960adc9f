import type { ErasureNote } from '../../erasure/erasure-notes.js';
import type { Log } from '../../kernel/log.js';
import type { Publishers } from '../../platforms/publishers.js';
import type { Leases } from '../../postgres/leases.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import type { SecretVault } from '../../secrets/vault.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { doDueWork, type DueWork } from './due-work.js';
import { payloadErasures, type StreamErasureDependencies, translationErasures } from './stream-erasures.js';
import { unnamedSecrets } from './unnamed-secrets.js';

/** Dependencies of {@link DueErasures}. */
export interface DueErasuresDependencies extends StreamErasureDependencies {
  readonly vault: SecretVault;
  readonly publishers: Publishers;
  readonly leases: Leases;
  readonly log: Log;
}

const LEASE = 'erase-due';
/** Interval of the sweeps in ms: what is due is gone within a minute (D-56). */
const SWEEP_MS = 5_000;
/** Things of a kind in one sweep at most; the next follows at once where there are more. */
const BATCH_SIZE = 100;
/** Delay in ms of what could not be erased. */
const POSTPONED_MS = 60_000;
const RETRY = { firstMs: 100, longestMs: 10_000 };

/**
 * Erases what is due, in one process at a time: what `ops_erasure` names, secrets that no event names, and rows of `ops_pace`
 * whose calls no limit counts any more. A secret or a stream goes before its note, so that a crash in between repeats it.
 */
export class DueErasures {
  constructor(private readonly deps: DueErasuresDependencies) {}

  /** Runs until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { leases, log } = this.deps;
    const logFailure = (error: string): void => log.warn({ error }, 'failed to erase what is due; retrying');
    const work = (held: AbortSignal): Promise<void> => this.sweepUntil(held);
    return runUnderLease(leases, { lease: LEASE, retry: RETRY, logFailure, work }, signal);
  }

  private async sweepUntil(signal: AbortSignal): Promise<void> {
    const { vault, notes, store, log } = this.deps;
    const secrets: DueWork<ErasureNote> = {
      name: 'replaced secrets',
      findDue: (limit) => notes.findDue('secret', limit),
      async handle(note) {
        await vault.eraseSecret(note.subject);
        await notes.settle('secret', note);
      },
      postpone: (note) => notes.postpone('secret', note, POSTPONED_MS),
    };
    while (!signal.aborted) {
      const hasMore = [
        await doDueWork(secrets, BATCH_SIZE, signal, log),
        await doDueWork(translationErasures(this.deps), BATCH_SIZE, signal, log),
        await doDueWork(payloadErasures(this.deps), BATCH_SIZE, signal, log),
        await doDueWork(unnamedSecrets(vault, store), BATCH_SIZE, signal, log),
      ];
      if (hasMore.includes(true)) continue;
      await this.eraseIdlePaces();
      await sleepUnlessAborted(SWEEP_MS, signal);
    }
  }

  /** Their keys name chats and hashes of credentials. A row whose newest call is older than every limit says nothing. */
  private async eraseIdlePaces(): Promise<void> {
    const { publishers, pool } = this.deps;
    const paces = publishers.platforms.map((platform) => publishers.get(platform).pace);
    const windows = paces.flatMap(({ perChannel, perCredential }) => [...perChannel, ...perCredential]);
    const longestMs = Math.max(0, ...windows.map(({ perMs }) => perMs));
    // Rows that a call is reserving a turn in are locked, in the order of their keys: to wait for one could be a deadlock.
    await pool.query(
      `delete from ops_pace where key in (
         select key from ops_pace where slots[cardinality(slots)] < clock_timestamp() - $1 * interval '1 ms'
         for update skip locked)`,
      [longestMs],
    );
  }
}
