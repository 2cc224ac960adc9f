import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { type ErasureNote, ErasureNotes } from '../../erasure/erasure-notes.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { LOG, type Log } from '../../kernel/log.js';
import { Publishers } from '../../platforms/publishers.js';
import { Leases } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { SecretVault } from '../../secrets/vault.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { eraseDue, type ErasureKind } from './erase-due.js';
import { payloadErasures, type StreamErasureDependencies, translationErasures } from './stream-erasures.js';
import { unnamedSecrets } from './unnamed-secrets.js';

const LEASE = 'erase-due';
/** Interval of the sweeps, in ms: due secrets must be erased within a minute (D-56). */
const SWEEP_MS = 5_000;
/** Maximum number of items of each kind per sweep. */
const BATCH_SIZE = 100;
/** Delay, in ms, before another attempt to erase a replaced secret. */
const POSTPONED_MS = 60_000;
const RETRY = { firstMs: 100, longestMs: 10_000 };

/**
 * Erases due items, in one process at a time: items in `ops_erasure`, secrets that no event names, and idle rows of
 * `ops_pace`. A secret or stream is erased before its note, so that a crash in between repeats the erasure.
 */
@Injectable()
export class DueErasures implements StreamErasureDependencies {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly notes: ErasureNotes,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly codec: EventCodec,
    private readonly vault: SecretVault,
    private readonly publishers: Publishers,
    private readonly leases: Leases,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Runs until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const failure = 'failed to erase due items; retrying';
    const work = (held: AbortSignal): Promise<void> => this.sweepUntil(held);
    return runUnderLease(this.leases, this.log, { lease: LEASE, retry: RETRY, failure, work }, signal);
  }

  private async sweepUntil(signal: AbortSignal): Promise<void> {
    const { vault, notes, store, log } = this;
    const secrets: ErasureKind<ErasureNote> = {
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
        await eraseDue(secrets, BATCH_SIZE, signal, log),
        await eraseDue(translationErasures(this), BATCH_SIZE, signal, log),
        await eraseDue(payloadErasures(this), BATCH_SIZE, signal, log),
        await eraseDue(unnamedSecrets(vault, store), BATCH_SIZE, signal, log),
      ];
      if (hasMore.includes(true)) continue;
      await this.eraseIdlePaces();
      await sleepUnlessAborted(SWEEP_MS, signal);
    }
  }

  /** Deletes rows whose calls no longer count: their keys contain chat ids and credential hashes. */
  private async eraseIdlePaces(): Promise<void> {
    const { publishers, pool } = this;
    const paces = publishers.platforms.map((platform) => publishers.get(platform).pace);
    const windows = paces.flatMap(({ perChannel, perCredential }) => [...perChannel, ...perCredential]);
    const longestMs = Math.max(0, ...windows.map(({ perMs }) => perMs));
    // Waiting for a locked row could cause a deadlock: calls that reserve turns lock several rows in key order.
    await pool.query(
      `delete from ops_pace where key in (
         select key from ops_pace where slots[cardinality(slots)] < clock_timestamp() - $1 * interval '1 ms'
         for update skip locked)`,
      [longestMs],
    );
  }
}
