import { type PublicationError, type PublicationEvent, RESTORED } from '../../domain/publication/publication.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import { AUDITED_TYPES } from '../audit/audited-types.js';
import type { Projection, Tx } from '../engine/projection.js';
import { type RowCache, Rows } from '../engine/rows.js';
import { PlannedTargets } from '../planned-targets.js';
import { listResourceIds } from '../resource-ids.js';
import { raiseAlerts } from './activity.queries.js';
import {
  ACTIVITY_VERSION,
  activityTables,
  alertRows,
  ALL_OWNERS,
  type FeedKind,
  type OpenPublicationRow,
  openPublicationRows,
  type OpenState,
  resourceRows,
  type StandingRow,
  standingRows,
} from './activity.tables.js';
import {
  type ActivityBatch,
  classOfLatency,
  EventCounters,
  Feed,
  type HandledEvent,
  handleResource,
  ownerOf,
} from './counters.js';

type Place = Pick<StandingRow, 'owner_id' | 'platform'>;

/** Changes to a standing: `last_published_at` is the new value, and the counts are differences. */
type StandingChange = { -readonly [Column in keyof StandingRow]: StandingRow[Column] };

/** Counts the open publications by owner, network and state. */
export class Standings {
  private readonly changes = new Map<string, StandingChange>();

  /**
   * Counts a publication's change of state.
   * @param from null if the publication is new
   * @param to null if it is finished
   */
  move(place: Place, from: OpenState | null, to: OpenState | null): void {
    if (from === to) return;
    for (const change of this.changesAt(place)) {
      if (from !== null) change[from] -= 1;
      if (to !== null) change[to] += 1;
    }
  }

  /** Records when a publication was published. */
  recordPublished(place: Place, at: Instant): void {
    for (const change of this.changesAt(place)) change.last_published_at = at;
  }

  async flush(tx: Tx, cache?: RowCache): Promise<void> {
    if (this.changes.size === 0) return;
    const rows = await Rows.load<StandingRow>(tx, standingRows, this.changes.keys(), cache);
    for (const [key, change] of this.changes) {
      const row = rows.get(key);
      rows.put(row ? addChange(row, change) : change);
    }
    await rows.flush();
  }

  private changesAt({ owner_id, platform }: Place): StandingChange[] {
    return [owner_id, ALL_OWNERS].map((owner) => {
      const key = `${owner}/${platform}`;
      const change = this.changes.get(key) ?? {
        standing_key: key,
        owner_id: owner,
        platform,
        queued: 0,
        publishing: 0,
        failed: 0,
        in_doubt: 0,
        last_published_at: null,
      };
      this.changes.set(key, change);
      return change;
    });
  }
}

const addChange = (row: StandingRow, change: StandingChange): StandingRow => ({
  ...row,
  queued: row.queued + change.queued,
  publishing: row.publishing + change.publishing,
  failed: row.failed + change.failed,
  in_doubt: row.in_doubt + change.in_doubt,
  last_published_at: change.last_published_at ?? row.last_published_at,
});

const TYPES: ReadonlySet<string> = new Set(AUDITED_TYPES);

/**
 * The overview of each owner and of all owners together: open publications, event counts over time, the latest events,
 * and every resource that has been stopped (ADR-204).
 */
export const activity: Projection = {
  name: 'activity',
  version: ACTIVITY_VERSION,
  tables: activityTables,
  views: ['publication', 'standing', 'minute', 'ten_minutes', 'feed', 'feed_end', 'alert'],
  handles: (type) => TYPES.has(type),
  batchIntervalMs: 200,

  async apply(tx, events, cache) {
    const handled = events as readonly HandledEvent[];
    const batch: ActivityBatch = {
      tx,
      resources: await Rows.load(tx, resourceRows, handled.flatMap(listResourceIds), cache),
      publications: await Rows.load(tx, openPublicationRows, handled.flatMap(publicationIdOf), cache),
      planned: await PlannedTargets.load(tx, handled),
      alerts: await Rows.load(tx, alertRows, handled.flatMap(listResourceIds), cache),
      standings: new Standings(),
      counters: new EventCounters(),
      feed: new Feed(),
    };
    for (const event of handled) await handle(event, batch);
    await batch.resources.flush();
    await batch.publications.flush();
    await batch.planned.flush();
    await batch.alerts.flush();
    await batch.standings.flush(tx, cache);
    await batch.counters.flush(tx, cache);
    await batch.feed.flush(tx, cache);
  },
};

const publicationIdOf = ({ type, data }: HandledEvent): string[] =>
  type.startsWith('Publication') ? [(data as { publicationId: string }).publicationId] : [];

const handle = async (event: HandledEvent, batch: ActivityBatch): Promise<void> => {
  handleResource(event, batch);
  batch.counters.countEvent(ownerOf(event, batch.resources), event.at);
  raiseAlerts(event, batch);
  if (event.type.startsWith('Post')) queueTargets(event, batch);
  else if (event.type === 'ChannelDeleted') await dropSettled(event.data.channelId, batch);
  else if (event.type.startsWith('Publication')) handlePublication(event as RecordedEventOf<PublicationEvent>, batch);
};

/** Queues the targets of a post when it is accepted or, if it is planned, released (D-59). */
const queueTargets = (event: HandledEvent, { planned, publications, standings }: ActivityBatch): void => {
  for (const { publicationId, channelId, platform } of planned.apply(event)) {
    const { type, data } = event as Extract<HandledEvent, { type: 'PostAccepted' | 'PostReleased' }>;
    const row = publications.put({
      publication_id: publicationId,
      post_id: data.postId,
      owner_id: data.ownerId,
      channel_id: channelId,
      platform,
      accepted_at: type === 'PostAccepted' ? data.acceptedAt : data.at,
      state: 'queued',
      retry_rule: null,
      retry_at: 0,
      settled_at: null,
    });
    standings.move(row, null, 'queued');
  }
};

/** Publication state after each event; null once the publication is finished. */
const STATE_AFTER: Readonly<Partial<Record<PublicationEvent['type'], OpenState | null>>> = {
  PublicationStarted: 'publishing',
  PublicationPostponed: 'queued',
  PublicationHeld: 'queued',
  PublicationResent: 'queued',
  PublicationFailed: 'failed',
  PublicationInDoubt: 'in_doubt',
  PublicationSucceeded: null,
  PublicationFiltered: null,
  PublicationDismissed: null,
  // What is taken back waits for no one: the posts read model shows what is not deleted yet.
  PublicationWithdrawalRequested: null,
  PublicationWithdrawn: null,
  PublicationWithdrawalFailed: null,
};

/** Value of `retry_rule` of a publication that is taken back while an attempt is under way. */
const WITHDRAWN = 'withdrawn';

const handlePublication = (event: RecordedEventOf<PublicationEvent>, batch: ActivityBatch): void => {
  const row = batch.publications.get(event.data.publicationId);
  const state = STATE_AFTER[event.type];
  if (!row || state === undefined) return;
  if (event.type === 'PublicationWithdrawalRequested' && event.data.isPublishing)
    return void batch.publications.patch(row.publication_id, { retry_rule: WITHDRAWN });
  // If the channel was deleted or the post taken back, its owner has nothing left to decide.
  const isOver = batch.resources.get(row.channel_id)?.is_deleted === true || row.retry_rule === WITHDRAWN;
  const next = isOver && (state === 'failed' || state === 'in_doubt') ? null : state;
  batch.standings.move(row, row.state, next);
  if (next === null) batch.publications.remove(row.publication_id);
  else batch.publications.patch(row.publication_id, { state: next, ...columnsAfter(event) });
  countPublication(event, row, batch);
  addToFeed(event, row, batch);
};

const columnsAfter = (event: RecordedEventOf<PublicationEvent>): Partial<OpenPublicationRow> => {
  switch (event.type) {
    case 'PublicationPostponed':
      return { retry_rule: event.data.rule, retry_at: event.data.retryAt };
    case 'PublicationHeld':
      return { retry_rule: event.data.rule, retry_at: event.data.until };
    case 'PublicationResent':
      return { retry_rule: null, retry_at: 0, settled_at: null };
    case 'PublicationFailed':
    case 'PublicationInDoubt': {
      const isRestored = event.data.error.code === RESTORED;
      return { retry_rule: null, retry_at: 0, settled_at: isRestored ? null : event.at };
    }
    default:
      return {};
  }
};

const countPublication = (
  { type, data, at }: RecordedEventOf<PublicationEvent>,
  row: OpenPublicationRow,
  { counters, standings }: ActivityBatch,
): void => {
  switch (type) {
    case 'PublicationSucceeded':
      counters.countPublication(row, at, { published: 1, latencies: { [classOfLatency(at - row.accepted_at)]: 1 } });
      return standings.recordPublished(row, at);
    case 'PublicationFailed':
      return counters.countPublication(row, at, { failed: 1, refused: Number(isRefusal(data.error)) });
    case 'PublicationInDoubt':
      return counters.countPublication(row, at, { in_doubt: 1 });
    case 'PublicationPostponed':
      return counters.countPublication(row, at, { refused: Number(isRefusal(data.error)) });
    default:
      return;
  }
};

/** True if the network refused the attempt (D-35). */
const isRefusal = ({ source }: PublicationError): boolean => source !== 'gateway';

const FEED_KINDS: Readonly<Partial<Record<string, FeedKind>>> = {
  PublicationStarted: 'publishing',
  PublicationSucceeded: 'published',
  PublicationPostponed: 'postponed',
  PublicationFailed: 'failed',
  PublicationInDoubt: 'in_doubt',
  PublicationFiltered: 'filtered',
  PublicationDismissed: 'dismissed',
};

const addToFeed = (
  { type, at }: RecordedEvent,
  { owner_id, post_id, publication_id: subject_id, platform }: OpenPublicationRow,
  { feed }: ActivityBatch,
): void => {
  const kind = FEED_KINDS[type];
  if (kind !== undefined) feed.add(owner_id, { at, kind, subject_id, post_id, platform });
};

/** Drops a deleted channel's publications that failed or are in doubt. */
const dropSettled = async (channelId: string, batch: ActivityBatch): Promise<void> => {
  const ownerId = batch.resources.get(channelId)?.owner_id;
  if (ownerId === undefined) return;
  await batch.publications.flush();
  const { rows } = await batch.tx.query<{ publication_id: string; platform: string; settled: OpenState }>(
    `delete from publication where owner_id = $1 and settled is not null and channel_id = $2
     returning publication_id, platform, settled`,
    [ownerId, channelId],
  );
  batch.publications.evict(rows.map(({ publication_id }) => publication_id));
  for (const { platform, settled } of rows) batch.standings.move({ owner_id: ownerId, platform }, settled, null);
};
