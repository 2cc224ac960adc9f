import type { Pool } from 'pg';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { reasonOf } from '../../../kernel/reason.js';
import { keyOfShare } from '../../../postgres/call-turns.js';
import type { PublishScheduleQueries } from '../../../projections/publish-schedule/publish-schedule.queries.js';
import { RepeatedFailure } from '../../../runtime/repeated-failure.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';
import type { GroupConcurrency, KeyPlace } from '../../engine/group-concurrency.js';

/** Dependencies of {@link WaitingPublications}. */
export interface WaitingPublicationsDependencies {
  readonly pool: Pool;
  readonly schedule: Pick<PublishScheduleQueries, 'findDue'>;
  readonly concurrency: GroupConcurrency;
  readonly clock: Clock;
  readonly log: Log;
}

/** A publication that waits. */
export interface Watched {
  /** Aborted when it need not wait any more, and when the worker stops. */
  readonly signal: AbortSignal;
  /** Ends the watch. */
  readonly end: () => void;
}

const TICK_MS = 2_000;
/** Time in ms for which readers see that an owner uses its share, unless it is repeated. */
const SHOWN_MS = 5_000;

/**
 * Publications that wait for their media before their attempt starts. One that was cancelled meanwhile, or that is not due any more,
 * must not hold its channel back: its wait ends. Readers see which owners wait for work of their own on a network (`waiting_for`:
 * `share`), once that has lasted for a tick.
 */
export class WaitingPublications {
  private readonly watched = new Map<string, { readonly place: KeyPlace; readonly stop: AbortController }>();
  private seenBefore: ReadonlySet<string> = new Set();

  constructor(private readonly deps: WaitingPublicationsDependencies) {}

  /** Watches a publication until its wait ends. @param drain ends it too */
  watch(publicationId: string, place: KeyPlace, drain: AbortSignal): Watched {
    const entry = { place, stop: new AbortController() };
    const abort = (): void => entry.stop.abort();
    if (drain.aborted) abort();
    drain.addEventListener('abort', abort, { once: true });
    this.watched.set(publicationId, entry);
    return {
      signal: entry.stop.signal,
      end: () => {
        drain.removeEventListener('abort', abort);
        if (this.watched.get(publicationId) === entry) this.watched.delete(publicationId);
      },
    };
  }

  /** Looks after them until the signal is aborted. */
  async run(drain: AbortSignal): Promise<void> {
    const failure = new RepeatedFailure();
    while (!drain.aborted) {
      await sleepUnlessAborted(TICK_MS, drain);
      try {
        await Promise.all([this.endNeedlessWaits(), this.showShares()]);
        failure.clear();
      } catch (error) {
        const reason = reasonOf(error);
        if (failure.shouldLog(reason))
          this.deps.log.warn({ error: reason }, 'failed to look after waiting posts; retrying');
      }
    }
  }

  private async endNeedlessWaits(): Promise<void> {
    if (this.watched.size === 0) return;
    const { schedule, clock } = this.deps;
    const asked = [...this.watched];
    const due = new Set(
      await schedule.findDue(
        asked.map(([id]) => id),
        clock.now(),
      ),
    );
    for (const [id, { stop }] of asked) if (!due.has(id)) stop.abort();
  }

  private async showShares(): Promise<void> {
    const places = [...this.deps.concurrency.listFull(), ...[...this.watched.values()].map(({ place }) => place)];
    const seen = new Set(places.map(({ group, owner }) => keyOfShare(group, owner)));
    const lasting = [...seen].filter((key) => this.seenBefore.has(key));
    this.seenBefore = seen;
    if (lasting.length === 0) return;
    await this.deps.pool.query({
      name: 'show shares',
      text: `
        insert into ops_pace (key, slots)
        select key, array[clock_timestamp() + $2 * interval '1 ms'] from unnest($1::text[]) key order by key
        on conflict (key) do update set slots = excluded.slots`,
      values: [lasting, SHOWN_MS],
    });
  }
}
