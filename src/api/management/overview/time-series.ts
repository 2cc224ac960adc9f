import { type Instant, iso } from '../../../kernel/instant.js';
import type { MinuteView, TenMinutesView } from './overview.view.js';
import type { OverviewFacts } from './overview-facts.js';

const MINUTE = 60_000;
const TEN_MINUTES = 10 * MINUTE;
/** Number of minutes to show. */
export const MINUTES = 60;
const TENS = 144;

/**
 * The time intervals shown in an overview, in UTC. The last minute and the last ten-minute interval are still in
 * progress.
 */
export class ShownTimes {
  readonly firstMinute: Instant;
  readonly firstTenMinutes: Instant;

  constructor(readonly now: Instant) {
    this.firstMinute = now - (now % MINUTE) - (MINUTES - 1) * MINUTE;
    this.firstTenMinutes = now - (now % TEN_MINUTES) - (TENS - 1) * TEN_MINUTES;
  }

  /** Returns the zero-based index of a minute among the shown minutes. */
  placeOf(at: Instant): number {
    return (at - this.firstMinute) / MINUTE;
  }
}

/** Builds the views of the last 60 minutes, with totals across all networks. */
export const buildMinutes = ({ activity: { minutes }, times }: OverviewFacts): MinuteView[] => {
  const views = Array.from({ length: MINUTES }, (_, i) => ({
    at: iso(times.firstMinute + i * MINUTE),
    published: 0,
    failed: 0,
    in_doubt: 0,
  }));
  for (const { at, published, failed, in_doubt } of minutes) {
    const view = views[times.placeOf(at)]!;
    view.published += published;
    view.failed += failed;
    view.in_doubt += in_doubt;
  }
  return views;
};

/** Builds the views of the last 144 ten-minute intervals. */
export const buildDay = ({ activity: { tenMinutes }, times }: OverviewFacts): TenMinutesView[] => {
  const byTime = new Map(tenMinutes.map((row) => [row.at, row]));
  return Array.from({ length: TENS }, (_, i) => {
    const at = times.firstTenMinutes + i * TEN_MINUTES;
    const { events = 0, failed = 0, in_doubt = 0 } = byTime.get(at) ?? {};
    return { at: iso(at), events, failed, in_doubt };
  });
};
