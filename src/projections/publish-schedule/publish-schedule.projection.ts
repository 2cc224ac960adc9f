import type { ChannelEvent } from '../../domain/channel/channel.events.js';
import type { OwnerEvent } from '../../domain/owner/owner.events.js';
import type { ChannelPauseEvent, ProjectPauseEvent } from '../../domain/pause/pause.events.js';
import type { PostEvent, Target } from '../../domain/post/post.events.js';
import type { ProjectDeleted } from '../../domain/project/project.events.js';
import { type PublicationEvent, RESTORED } from '../../domain/publication/publication.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import { padPosition } from '../../kernel/position-text.js';
import { shardOf } from '../../postgres/leases.js';
import type { Projection, Tx } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import { changesPlannedTargets, PlannedTargets } from '../planned-targets.js';
import { isBacklog } from './hold.js';
import { ProjectPauses, updateNextDue } from './project-pauses.js';
import {
  BEFORE_FIRST_ATTEMPT,
  firstWaitingOf,
  newChannelRow,
  type PublicationRow,
  publicationRows,
  queueDepthTables,
  SCHEDULE_VERSION,
  scheduledChanges,
  type ScheduledChannel,
  scheduledChannels,
  type ScheduledOwner,
  scheduledOwners,
  scheduleTables,
} from './publish-schedule.tables.js';
import { applyEdit, type ChangeRows, isOfEdit, mayChange, newChange, requestPin } from './published-changes.js';

type HandledEvent = RecordedEventOf<
  PostEvent | PublicationEvent | ChannelEvent | ChannelPauseEvent | ProjectPauseEvent | ProjectDeleted | OwnerEvent
>;

interface LoadedRows extends ChangeRows {
  readonly tx: Tx;
  readonly channels: Rows<ScheduledChannel>;
  readonly pauses: ProjectPauses;
  readonly owners: Rows<ScheduledOwner>;
  readonly planned: PlannedTargets;
  /** Channels whose `next_due` may have changed, with the time of the latest change. */
  readonly touched: Map<string, Instant>;
}

const TYPES = /^(Publication|Channel|Project(Paused|Resumed|Deleted)|PostPackAdded|OwnerPlanChanged)/;

/**
 * Unfinished publications, one row each, and each channel's due time: both a read model and a work queue. A rebuild
 * never causes anything to be sent twice, because leases are kept elsewhere and a worker reads the publication's stream
 * before it acts.
 * @param minuteMs spacing of a pause's backlog (D-21, MINUTE_MS)
 */
export const publishSchedule = (minuteMs: number): Projection => ({
  name: 'publish-schedule',
  version: SCHEDULE_VERSION,
  tables: scheduleTables + queueDepthTables,
  views: [
    'publication',
    'channel',
    'project',
    'project_pause',
    'paused_queue',
    'scheduled_publication',
    'queue_depth',
    'change',
  ],
  keepsAnchor: true,
  handles: (type) => TYPES.test(type) || changesPlannedTargets(type),

  async apply(tx, events, cache) {
    const handled = events as readonly HandledEvent[];
    const publications = await Rows.load(tx, publicationRows, handled.flatMap(publicationIdOf), cache);
    const planned = await PlannedTargets.load(tx, handled);
    const channelIds = new Set(handled.flatMap(channelIdsOf));
    const projectIds = new Set(handled.flatMap(projectIdsOf));
    for (const { channelId, projectId } of planned.values()) {
      channelIds.add(channelId);
      projectIds.add(projectId);
    }
    const rows: LoadedRows = {
      tx,
      publications,
      planned,
      channels: await Rows.load(tx, scheduledChannels, channelIds, cache),
      pauses: await ProjectPauses.load(tx, [...projectIds], publications.values(), cache),
      owners: await Rows.load(tx, scheduledOwners, handled.flatMap(ownerIdsOf), cache),
      changes: await Rows.load(tx, scheduledChanges, listChanged(handled, publications)),
      dueChanges: new Set(),
      touched: new Map(),
    };
    for (const event of handled) await handle(event, rows);
    await rows.planned.flush();
    await rows.owners.flush();
    await rows.publications.flush();
    await rows.changes.flush();
    for (const [channelId, at] of await rows.pauses.flush()) markTouched(rows, channelId, at);
    const due = await updateNextDue(tx, rows.channels, rows.touched, minuteMs);
    await rows.channels.flush();
    await notifyOf(tx, 'due', due);
    await notifyOf(tx, 'change', [...rows.dueChanges]);
  },
});

/** Wakes the workers responsible for keys that are due earlier than before (ADR-102). */
const notifyOf = async (tx: Tx, channel: 'due' | 'change', keys: readonly string[]): Promise<void> => {
  const shards = new Set(keys.map(shardOf));
  if (shards.size > 0) await tx.query('select pg_notify($1, $2)', [channel, [...shards].join(' ')]);
};

const handle = async (event: HandledEvent, rows: LoadedRows): Promise<void> => {
  if (isOfPublication(event) && isOfEdit(event)) return applyEdit(event, rows);
  switch (event.type) {
    case 'PostAccepted':
      return queuePost(event, event.data.acceptedAt, rows);
    case 'PostReleased':
      return queuePost(event, event.data.at, rows);
    case 'PostRevised':
    case 'PostRejected':
    case 'PlannedPublicationsCancelled':
      return void rows.planned.apply(event);
    case 'PublicationStarted': {
      const { publicationId, channelId, attempt, at } = event.data;
      leaveProjectPause(publicationId, rows);
      const row = queueAgain(publicationId, { state: 'publishing', attempt }, rows);
      const channel = rows.channels.get(channelId);
      if (row && channel && isBacklog({ ...row, not_before: row.waited_until }, channel))
        rows.channels.patch(channelId, { last_backlog_at: at });
      // A channel that is due remains due while its head is being published, so the head need not be found.
      const isDue = typeof channel?.next_due === 'number' && channel.next_due <= at;
      if (!isDue) markTouched(rows, channelId, event.at);
      else if (channel.next_due !== 0) rows.channels.patch(channelId, { next_due: 0 });
      return;
    }
    case 'PublicationPostponed': {
      const { publicationId, channelId, retryAt, rule } = event.data;
      const change = { state: 'queued' as const, retry_at: retryAt, retry_rule: rule, retry_event: event.id };
      queueAgain(publicationId, change, rows);
      return markTouched(rows, channelId, event.at);
    }
    case 'PublicationHeld': {
      const { publicationId, channelId, until, rule, ownerId, ownerRevision } = event.data;
      const changed = rows.owners.get(ownerId);
      const change = { retry_at: until, retry_rule: rule, retry_event: event.id };
      // If the plan or the packs changed after the quota refused the publication, it stays due.
      if (!changed || BigInt(changed.revision) <= BigInt(ownerRevision)) rows.publications.patch(publicationId, change);
      return markTouched(rows, channelId, event.at);
    }
    case 'PostPackAdded':
    case 'OwnerPlanChanged':
      return releaseQuotaHolds(event, rows);
    case 'PublicationFailed':
    case 'PublicationInDoubt': {
      const state = event.type === 'PublicationFailed' ? 'failed' : 'in_doubt';
      const is_restored = event.data.error.code === RESTORED;
      if (is_restored) leaveProjectPause(event.data.publicationId, rows);
      // A recovery may put a publication in doubt without an open attempt, which then counts as one.
      const counted = is_restored ? { attempt: event.data.attempt } : {};
      if (rows.changes.get(event.data.publicationId)) endAttemptOfWithdrawn(event, rows);
      else rows.publications.patch(event.data.publicationId, { state, is_restored, ...counted });
      return markTouched(rows, event.data.channelId, event.at);
    }
    case 'PublicationResent': {
      const asNew = { state: 'queued', retry_at: 0, retry_rule: null, retry_event: null, is_restored: false } as const;
      queueAgain(event.data.publicationId, { ...asNew, queued_position: padPosition(event.position) }, rows);
      return markTouched(rows, event.data.channelId, event.at);
    }
    case 'PublicationWithdrawalRequested': {
      const { publicationId, channelId, isPublishing } = event.data;
      rows.changes.put({ ...newChange(event.data), next_due: null });
      if (isPublishing) return void rows.publications.patch(publicationId, { is_withdrawn: true });
      endAttemptOfWithdrawn(event, rows);
      return markTouched(rows, channelId, event.at);
    }
    case 'PublicationWithdrawalPostponed':
      return void rows.changes.patch(event.data.publicationId, { next_due: event.data.retryAt });
    case 'PublicationWithdrawn':
    case 'PublicationWithdrawalFailed':
      return rows.changes.remove(event.data.publicationId);
    case 'PublicationSucceeded':
    case 'PublicationFiltered':
    case 'PublicationDismissed':
      if (event.type !== 'PublicationSucceeded') rows.changes.remove(event.data.publicationId);
      else requestPin(event, rows);
      endAttemptOfWithdrawn(event, rows);
      return markTouched(rows, event.data.channelId, event.at);
    case 'ChannelConnected':
      rows.channels.put(newChannelRow(event.data.channelId, event.data.platform, event.data.ownerId));
      return;
    case 'ChannelEnabled':
    case 'ChannelDisabled':
      rows.channels.patch(event.data.channelId, { enabled: event.type === 'ChannelEnabled' });
      return markTouched(rows, event.data.channelId, event.at);
    case 'ChannelNeedsAttention':
      rows.channels.patch(event.data.channelId, { attention_until: event.data.until, attention_event: event.id });
      return markTouched(rows, event.data.channelId, event.at);
    case 'ChannelCredentialsReplaced':
    case 'ChannelAttentionCleared':
      rows.channels.patch(event.data.channelId, { attention_until: 0, attention_event: null });
      return markTouched(rows, event.data.channelId, event.at);
    case 'ChannelPaused': {
      const { channelId, until } = event.data;
      rows.channels.patch(channelId, { paused_until: until, pause_end: until, pause_event: event.id });
      return markTouched(rows, channelId, event.at);
    }
    case 'ChannelResumed': {
      const { channelId, at } = event.data;
      rows.channels.patch(channelId, { paused_until: 0, pause_end: at, pause_event: event.id });
      return markTouched(rows, channelId, event.at);
    }
    case 'ChannelDeleted':
      rows.channels.patch(event.data.channelId, { deleted: true });
      return markTouched(rows, event.data.channelId, event.at);
    case 'ProjectDeleted': // the posts that the pause delayed become due, so that a worker cancels them
      return rows.pauses.lift(event.data.projectId, event.at, event.id);
    case 'ProjectPaused':
      return rows.pauses.setEnd(event.data.projectId, event.data.until, event.at, event.id);
    case 'ProjectResumed':
      return rows.pauses.lift(event.data.projectId, event.data.at, event.id);
    default:
      return; // no other event changes the time at which a publication may go out
  }
};

/**
 * Queues a post on each of its channels, unless it is planned; an active project pause delays it (D-21).
 * @param acceptedAt for a planned post, its release time (D-59)
 */
const queuePost = (
  event: Extract<HandledEvent, { type: 'PostAccepted' | 'PostReleased' }>,
  acceptedAt: Instant,
  rows: LoadedRows,
): void => {
  const { postId, ownerId } = event.data;
  const knownUpTo = event.type === 'PostReleased' ? event.data.knownUpTo : undefined;
  for (const { publicationId, channelId, platform, projectId } of rows.planned.apply(event)) {
    const channel = rows.channels.get(channelId) ?? newChannelRow(channelId, platform, ownerId);
    const sequence = channel.last_sequence + 1;
    rows.channels.put({ ...channel, last_sequence: sequence });
    const project_pause_id = channel.deleted ? null : rows.pauses.findDelay(projectId, acceptedAt);
    const row = rows.publications.put({
      publication_id: publicationId,
      post_id: postId,
      post_stream: event.stream,
      post_revision: String(event.revision),
      channel_id: channelId,
      project_id: projectId,
      owner_id: ownerId,
      platform,
      sequence,
      accepted_at: acceptedAt,
      project_pause_id,
      queued_position: padPosition(knownUpTo ?? event.position),
      ...BEFORE_FIRST_ATTEMPT,
    });
    if (project_pause_id !== null) rows.pauses.addToQueue(row, project_pause_id);
    markTouched(rows, channelId, event.at);
  }
};

/** Updates a publication that is waiting again, and lowers its channel's `first_waiting` if needed to include it. */
const queueAgain = (
  publicationId: string,
  change: Partial<PublicationRow>,
  { publications, channels }: LoadedRows,
): PublicationRow | undefined => {
  const row = publications.patch(publicationId, change);
  const channel = row && channels.get(row.channel_id);
  if (channel && row.sequence < channel.first_waiting)
    channels.patch(row.channel_id, { first_waiting: firstWaitingOf(row.sequence) });
  return row;
};

/**
 * Detaches a publication that starts or ends from its project's pause, so later changes to the pause do not affect it.
 */
const leaveProjectPause = (publicationId: string, { publications, pauses }: LoadedRows): void => {
  const row = publications.get(publicationId);
  if (!row || row.project_pause_id === null) return;
  const waited_until = pauses.removeFromQueue(row, row.project_pause_id);
  publications.put({ ...row, project_pause_id: null, waited_until });
};

/** Removes a publication from its queue. If it was taken back, its messages are to be deleted now. */
const endAttemptOfWithdrawn = (event: RecordedEventOf<PublicationEvent>, rows: LoadedRows): void => {
  const { publicationId } = event.data;
  leaveProjectPause(publicationId, rows);
  rows.publications.remove(publicationId);
  if (rows.changes.patch(publicationId, { next_due: event.at })) rows.dueChanges.add(publicationId);
};

/**
 * Releases an owner's publications that are waiting for the quota, because the plan or the packs have changed (D-46).
 */
const releaseQuotaHolds = async (
  event: RecordedEvent<Extract<OwnerEvent, { type: 'PostPackAdded' | 'OwnerPlanChanged' }>>,
  rows: LoadedRows,
): Promise<void> => {
  const { ownerId } = event.data;
  rows.owners.put({ owner_id: ownerId, revision: String(event.revision) });
  await rows.publications.flush();
  const released = await rows.tx.query<{ publication_id: string; channel_id: string }>(
    `update publication set retry_at = 0, retry_rule = null, retry_event = null
     where owner_id = $1 and retry_rule = 'quota' returning publication_id, channel_id`,
    [ownerId],
  );
  await rows.publications.reload(released.rows.map(({ publication_id }) => publication_id));
  for (const { channel_id } of released.rows) markTouched(rows, channel_id, event.at);
};

/**
 * Marks a channel so that its due time is computed at the end of the batch, as of the given time. The result is
 * therefore independent of the batch size.
 */
const markTouched = ({ touched }: LoadedRows, channelId: string, at: Instant): void =>
  void touched.set(channelId, Math.max(touched.get(channelId) ?? 0, at));

const isOfPublication = (event: HandledEvent): event is RecordedEventOf<PublicationEvent> =>
  event.type.startsWith('Publication');

/** Lists the publications of a batch that were taken back, edited or pinned. */
const listChanged = (handled: readonly HandledEvent[], publications: Rows<PublicationRow>): readonly string[] =>
  handled.flatMap((event) => {
    if (!isOfPublication(event)) return [];
    const { publicationId } = event.data;
    return mayChange(event) || publications.get(publicationId)?.is_withdrawn ? [publicationId] : [];
  });

const publicationIdOf = ({ type, data }: HandledEvent): string[] =>
  type.startsWith('Publication') ? [(data as { publicationId: string }).publicationId] : [];

/** Lists the targets of an accepted or revised post, which it or a later event of the batch may queue. */
const listTargets = ({ type, data }: HandledEvent): readonly Target[] | null =>
  type === 'PostAccepted' || type === 'PostRevised' ? data.targets : null;

const channelIdsOf = (event: HandledEvent): string[] =>
  listTargets(event)?.map(({ channelId }) => channelId) ?? ('channelId' in event.data ? [event.data.channelId] : []);

const projectIdsOf = (event: HandledEvent): string[] =>
  listTargets(event)?.map(({ projectId }) => projectId) ?? ('projectId' in event.data ? [event.data.projectId] : []);

const ownerIdsOf = ({ type, data }: HandledEvent): string[] =>
  type === 'PublicationHeld' || type === 'PostPackAdded' || type === 'OwnerPlanChanged' ? [data.ownerId] : [];
