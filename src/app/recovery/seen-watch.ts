import { Inject, Injectable } from '@nestjs/common';
import { epochOf, recovery } from '../../domain/recovery/recovery.decider.js';
import { RECOVERY_ID } from '../../domain/recovery/recovery.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { CheckedEventStore } from '../../event-store/checked-event-store.js';
import type { SeenNotes } from '../../event-store/store-records.js';
import { reasonOf } from '../../kernel/result.js';
import { ContentKeyTable } from '../../secrets/content-keys.js';
import { openSeenNotes } from '../event-store.js';
import { PROCESS_OPTIONS, type ProcessOptions, Resources } from '../process-options.js';
import type { NoticedLoss } from './log-recovery.js';

const INTERVAL_MS = 1_000;
/** Epoch of a loss in the first second of a process. No recovery has covered it yet. */
const UNKNOWN_EPOCH = 'unknown';

/**
 * Notes once a second, outside the database, the newest event that this process has seen, and reads the end of the log,
 * so that a process without traffic notices lost events too (D-80).
 */
@Injectable()
export class SeenWatch {
  /** Resolves once events that this process has seen are lost. */
  readonly eventsLost: Promise<NoticedLoss>;
  private latest: NoticedLoss | null = null;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly notes: SeenNotes;

  constructor(
    private readonly store: CheckedEventStore,
    private readonly aggregates: AggregateStore,
    contentKeys: ContentKeyTable,
    @Inject(PROCESS_OPTIONS) { settings, log }: ProcessOptions,
    resources: Resources,
  ) {
    this.notes = openSeenNotes(settings);
    void resources.add(() => this.stop());
    this.eventsLost = new Promise((resolve) => {
      store.onEventsLost(() => {
        const { seen } = store;
        // The database may have lost keys that this process still has.
        contentKeys
          .putBack()
          .catch((error: unknown) => log.warn({ reason: reasonOf(error) }, 'failed to keep the keys of content'));
        if (seen) resolve({ epoch: this.latest?.epoch ?? UNKNOWN_EPOCH, at: this.latest?.at ?? Date.now(), seen });
      });
    });
    this.schedule();
  }

  private async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.note()
        .catch(() => undefined) // the store connection logs outages, and the next turn tries again
        .finally(() => this.schedule());
    }, INTERVAL_MS).unref();
  }

  private async note(): Promise<void> {
    const { store, aggregates, notes, latest } = this;
    await store.readHead();
    const { seen } = store;
    const { id } = store.connection;
    if (!seen || id === null || seen.id === latest?.seen.id) return;
    // Read after the event: an earlier recovery is then never taken for one that covers its loss.
    const { state } = await aggregates.loadAggregate(recovery, RECOVERY_ID);
    this.latest = { seen, epoch: epochOf(state), at: Date.now() };
    await notes.advance(id, { ...seen, epoch: this.latest.epoch, at: this.latest.at });
  }
}
