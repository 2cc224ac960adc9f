import { causeOf } from '../../publications/describe-waiting.js';
import type { Publication, WaitRule } from '../../publications/shown-state.js';

/** How many publications are waiting, by what they are waiting for. */
export interface WaitingSummary {
  readonly total: number;
  readonly person: number;
  readonly pause: number;
  readonly retry: number;
  /** Publications that are waiting for their network to accept more, by network. */
  readonly networks: Readonly<Record<string, number>>;
  /** Publications that are waiting for their turn or are about to be published. */
  readonly next: number;
}

const COUNTED_AS: Readonly<Record<WaitRule, 'person' | 'pause' | 'retry' | 'network' | 'next'>> = {
  scheduled: 'next',
  approval: 'person',
  restored: 'person',
  project_pause: 'pause',
  channel_pause: 'pause',
  backlog_spacing: 'pause',
  earlier_publication: 'next',
  retry: 'retry',
  platform_limit: 'network',
  pace: 'network',
  share: 'next',
  needs_attention: 'person',
  quota: 'person',
};

/**
 * Counts waiting publications by the cause of their wait. A publication that is waiting behind another is counted under
 * the cause of the one ahead.
 */
export const summarizeWaiting = (publications: readonly Publication[]): WaitingSummary => {
  const queued = publications.filter(({ state }) => state === 'queued');
  const byId = new Map(queued.map((publication) => [publication.id, publication]));
  const counts = { total: queued.length, person: 0, pause: 0, retry: 0, next: 0 };
  const networks: Record<string, number> = {};
  for (const publication of queued) {
    const cause = rootCause(publication, byId);
    const count = cause === null ? 'next' : COUNTED_AS[cause];
    if (count === 'network') networks[publication.platform] = (networks[publication.platform] ?? 0) + 1;
    else counts[count]++;
  }
  return { ...counts, networks };
};

/**
 * Returns the rule behind a wait. If the publication is waiting behind another, returns the rule behind the wait of
 * that publication, if known.
 */
const rootCause = (publication: Publication, byId: ReadonlyMap<string, Publication>): WaitRule | null => {
  const cause = causeOf(publication);
  const blockedBy = publication.waiting_for?.blocked_by ?? null;
  if (cause !== 'earlier_publication' || blockedBy === null) return cause;
  const first = byId.get(blockedBy);
  return first ? causeOf(first) : cause;
};
