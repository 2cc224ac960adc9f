import { Inject, Injectable } from '@nestjs/common';
import { DeleteMedia } from '../../commands/media.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { media } from '../../domain/media/media.decider.js';
import { type ErasureNote, ErasureNotes } from '../../erasure/erasure-notes.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { type Clock, MINUTE_MS, SHARED_CLOCK } from '../../kernel/clock.js';
import { newUuid } from '../../kernel/ids.js';
import { LOG, type Log } from '../../kernel/log.js';
import { Leases } from '../../postgres/leases.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { MediaQueries } from '../../projections/media/media.queries.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { FILE_STORE, type FileStore, type StoredItem } from '../../uploads/file-store.js';
import { expiryOf, MediaNeeds } from '../../uploads/media-needs.js';
import { StoreStatus } from '../../uploads/store-status.js';
import { UploadReservations } from '../../uploads/upload-reservations.js';
import { runUnderLease } from '../engine/run-under-lease.js';
import { eraseDue, type ErasureKind } from '../erase-replaced/erase-replaced.js';

const NAME = 'sweep-uploads';
const RETRY = { firstMs: 1_000, longestMs: 30_000 };
/** How often to look for expired and deleted files, in ms. They must be erased within a minute (D-56). */
const LOOK_MS = 5_000;
const BATCH_SIZE = 200;
/** Delay before another attempt to erase a file, in ms. */
const POSTPONED_MS = 15_000;
/** Minimum age of remains to remove, and pause between sweeps, in pause-minutes: remains must be gone within 60 (D-92). */
const REMAINS_MINUTES = 30;
const SWEEP_MINUTES = 15;
/** Minimum pause between sweeps, in ms, even if a pause-minute is shorter. */
const MIN_SWEEP_MS = 1_000;

/**
 * Deletes files that have expired, erases deleted files from the store, and removes what interrupted uploads left there:
 * files that no event names. In one process at a time.
 */
@Injectable()
export class SweepUploads {
  constructor(
    private readonly leases: Leases,
    private readonly media: MediaQueries,
    private readonly needs: MediaNeeds,
    private readonly deletions: DeleteMedia,
    private readonly reservations: UploadReservations,
    private readonly notes: ErasureNotes,
    private readonly aggregates: AggregateStore,
    private readonly progress: ProjectionProgress,
    private readonly status: StoreStatus,
    @Inject(FILE_STORE) private readonly store: FileStore,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'mediaMs'>,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
    @Inject(SHARED_CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Runs until the signal is aborted; survives outages. */
  run(signal: AbortSignal): Promise<void> {
    const failure = 'failed to sweep the store of uploaded files; retrying';
    const work = async (held: AbortSignal): Promise<void> => {
      await this.status.requireUsable();
      while (!held.aborted && !(await this.progress.waitForOwnVersions(['media'], 1_000)));
      let sweepAt = 0;
      while (!held.aborted) {
        await this.expire(held);
        while (!held.aborted && (await eraseDue(this.deletedFiles, BATCH_SIZE, held, this.log)));
        if (performance.now() >= sweepAt) {
          await this.removeRemains(held);
          sweepAt = performance.now() + Math.max(MIN_SWEEP_MS, SWEEP_MINUTES * this.minuteMs);
        }
        await sleepUnlessAborted(Math.min(LOOK_MS, Math.max(MIN_SWEEP_MS, SWEEP_MINUTES * this.minuteMs)), held);
      }
    };
    return runUnderLease(this.leases, this.log, { lease: NAME, retry: RETRY, failure, work }, signal);
  }

  /** Deletes files that have expired. Answers do not show them any more, even before. */
  private async expire(signal: AbortSignal): Promise<void> {
    const { mediaMs } = this.settings;
    const now = this.clock.now();
    for (let after = { at: -1, id: '' }; !signal.aborted;) {
      const rows = await this.media.findOldest(now - mediaMs, after, BATCH_SIZE);
      const needs = await this.needs.find(rows.map(({ media_id }) => media_id));
      for (const { media_id: id, renewed_at: renewedAt } of rows) {
        const expiresAt = expiryOf(renewedAt, needs.get(id), mediaMs);
        if (expiresAt === null || expiresAt > now) continue;
        await this.deletions.execute(this.newContext(), id, 'expired', renewedAt);
      }
      const last = rows.at(-1);
      if (!last || rows.length < BATCH_SIZE) return;
      after = { at: last.renewed_at, id: last.media_id };
    }
  }

  private readonly deletedFiles: ErasureKind<ErasureNote> = {
    name: 'uploaded files',
    findDue: (limit) => this.notes.findDue('upload', limit),
    handle: async (note) => {
      await this.store.remove(note.subject);
      await this.notes.settle('upload', note);
    },
    postpone: (note) => this.notes.postpone('upload', note, POSTPONED_MS),
  };

  /** Removes whatever is old and belongs to no file. The events decide; the read model must have reached them. */
  async removeRemains(signal: AbortSignal): Promise<void> {
    const before = Date.now() - REMAINS_MINUTES * this.minuteMs;
    let batch: StoredItem[] = [];
    for await (const item of this.store.list()) {
      if (signal.aborted) return;
      if (item.modifiedAt <= before) batch.push(item);
      if (batch.length < BATCH_SIZE) continue;
      await this.removeUnnamed(batch);
      batch = [];
    }
    await this.removeUnnamed(batch);
    await this.reservations.prune();
  }

  private async removeUnnamed(items: readonly StoredItem[]): Promise<void> {
    if (items.length === 0) return;
    const files = items.map(({ file }) => file);
    const underWay = await this.reservations.findUnderWay(files);
    // An upload may have finished since then: it is no longer under way, and the read model may not show it yet.
    if (!(await this.progress.waitFor(['media'], await this.aggregates.store.readHead()))) return;
    const named = await this.media.findNamed(files);
    for (const { file, isComplete, remove } of items) {
      const mediaId = underWay.get(file);
      if (mediaId === null || (isComplete && named.has(file))) continue;
      // The outcome of its append may have been unknown.
      if (mediaId !== undefined && (await this.isNamed(file, mediaId))) continue;
      await remove();
      this.log.info({ file }, 'removed what an upload left behind');
    }
  }

  private async isNamed(file: string, mediaId: string): Promise<boolean> {
    const { state } = await this.aggregates.loadAggregate(media, mediaId);
    return state?.file === file && !state.deleted;
  }

  private newContext() {
    const id = newUuid();
    const origin = { actor: `system:${NAME}`, requestId: '', causationId: id, correlationId: id, clientAddress: null };
    return { ...origin, commandId: `${NAME}/${id}`, at: this.clock.now() };
  }
}
