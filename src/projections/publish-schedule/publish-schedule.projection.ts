import type { ChannelPauseEvent } from '../../domain/channel-pause/channel-pause.events.js';
import type { ChannelEvent } from '../../domain/channel/channel.events.js';
import type { OwnerEvent } from '../../domain/owner/owner.events.js';
import type { PostEvent } from '../../domain/post/post.events.js';
import type { ProjectPauseEvent } from '../../domain/project-pause/project-pause.events.js';
import type { PublicationEvent } from '../../domain/publication/publication.events.js';
import type { RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import type { Projection, Tx } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import {
  channelRow,
  isBacklog,
  type ScheduledChannel,
  scheduledChannels,
  type ScheduledOwner,
  scheduledOwners,
  type ScheduledProject,
  scheduledProjects,
  type ScheduledPublication,
  scheduledPublications,
  scheduleTables,
} from './publish-schedule.tables.js';

type Known = RecordedEventOf<
  PostEvent | PublicationEvent | ChannelEvent | ChannelPauseEvent | ProjectPauseEvent | OwnerEvent
>;

interface InHand {
  readonly tx: Tx;
  readonly publications: Rows<ScheduledPublication>;
  readonly channels: Rows<ScheduledChannel>;
  readonly projects: Rows<ScheduledProject>;
  readonly owners: Rows<ScheduledOwner>;
  /** Channels whose next due time has to be found anew. */
  readonly touched: Set<string>;
}

const TYPES = /^(PostAccepted|Publication|Channel|Project(Paused|Resumed)|PostPackAdded|OwnerPlanChanged)/;

/**
 * What is still to be published, one row per publication, and when each channel may go next. It is a read model and a
 * work queue at once: leases lie elsewhere, and the executor reads the publication's stream before it acts, so a
 * rebuild can never send anything again.
 *
 * @param minuteMs spacing of the backlog that a pause leaves (D-21, MINUTE_MS).
 */
export const publishSchedule = (minuteMs: number): Projection => ({
  name: 'publish-schedule',
  version: 3,
  tables: scheduleTables,
  views: ['publication', 'channel', 'project'],
  concerns: (type) => TYPES.test(type),

  async apply(tx, events, kept) {
    const known = events as readonly Known[];
    const hand: InHand = {
      tx,
      publications: await Rows.load(tx, scheduledPublications, known.flatMap(publicationIdOf), kept),
      channels: await Rows.load(tx, scheduledChannels, known.flatMap(channelIdsOf), kept),
      projects: await Rows.load(tx, scheduledProjects, known.flatMap(projectIdsOf), kept),
      owners: await Rows.load(tx, scheduledOwners, known.flatMap(ownerIdsOf), kept),
      touched: new Set(),
    };
    for (const event of known) await handle(event, hand);
    await flush(hand);
    await findNextDue(hand, events.at(-1)!.at, minuteMs);
  },
});

const handle = async (event: Known, hand: InHand): Promise<void> => {
  switch (event.type) {
    case 'PostAccepted':
      return accept(event, hand);
    case 'PublicationStarted': {
      const { publicationId, channelId, attempt, at } = event.data;
      const row = hand.publications.patch(publicationId, { state: 'publishing', attempt });
      const channel = hand.channels.get(channelId);
      if (row && channel && isBacklog(row, channel)) hand.channels.patch(channelId, { last_backlog_at: at });
      // A channel that is due already stays so while its head is being published.
      const isDue = typeof channel?.next_due === 'number' && channel.next_due <= at;
      if (!isDue) touch(hand, channelId);
      return;
    }
    case 'PublicationPostponed': {
      const { publicationId, channelId, retryAt, rule } = event.data;
      const change = { state: 'queued' as const, retry_at: retryAt, retry_rule: rule, retry_event: event.id };
      hand.publications.patch(publicationId, change);
      return touch(hand, channelId);
    }
    case 'PublicationHeld': {
      const { publicationId, channelId, until, rule, ownerId, ownerRevision } = event.data;
      const changed = hand.owners.get(ownerId);
      const change = { retry_at: until, retry_rule: rule, retry_event: event.id };
      // Judged by an owner that was about to change: it is looked at again.
      if (!changed || BigInt(changed.revision) <= BigInt(ownerRevision)) hand.publications.patch(publicationId, change);
      return touch(hand, channelId);
    }
    case 'PostPackAdded':
    case 'OwnerPlanChanged':
      return releaseHeld(event, hand);
    case 'PublicationFailed':
    case 'PublicationInDoubt':
      hand.publications.patch(event.data.publicationId, {
        state: event.type === 'PublicationFailed' ? 'failed' : 'in_doubt',
      });
      return touch(hand, event.data.channelId);
    case 'PublicationResent':
      hand.publications.patch(event.data.publicationId, {
        state: 'queued',
        retry_at: 0,
        retry_rule: null,
        retry_event: null,
      });
      return touch(hand, event.data.channelId);
    case 'PublicationSucceeded':
    case 'PublicationFiltered':
    case 'PublicationDismissed':
      hand.publications.remove(event.data.publicationId);
      return touch(hand, event.data.channelId);
    case 'ChannelConnected':
      hand.channels.put(channelRow(event.data.channelId, event.data.platform));
      return;
    case 'ChannelEnabled':
    case 'ChannelDisabled':
      hand.channels.patch(event.data.channelId, { enabled: event.type === 'ChannelEnabled' });
      return touch(hand, event.data.channelId);
    case 'ChannelNeedsAttention':
      hand.channels.patch(event.data.channelId, { attention_until: event.data.until, attention_event: event.id });
      return touch(hand, event.data.channelId);
    case 'ChannelCredentialsReplaced':
      hand.channels.patch(event.data.channelId, { attention_until: 0, attention_event: null });
      return touch(hand, event.data.channelId);
    case 'ChannelPaused': {
      const { channelId, until } = event.data;
      hand.channels.patch(channelId, { paused_until: until, pause_end: until, pause_event: event.id });
      return touch(hand, channelId);
    }
    case 'ChannelResumed': {
      const { channelId, at } = event.data;
      hand.channels.patch(channelId, { paused_until: 0, pause_end: at, pause_event: event.id });
      return touch(hand, channelId);
    }
    case 'ProjectPaused':
      return moveGate(event, event.data.until, event.at, hand);
    case 'ProjectResumed':
      return moveGate(event, 0, event.data.at, hand);
    default:
      return; // other events say nothing about when a post may go
  }
};

/** Queues a post on each of its channels; a project that is paused at that moment holds it back (D-21). */
const accept = (event: Extract<Known, { type: 'PostAccepted' }>, hand: InHand): void => {
  const { postId, ownerId, acceptedAt, targets } = event.data;
  for (const { publicationId, channelId, platform, projectId } of targets) {
    const channel = hand.channels.get(channelId) ?? channelRow(channelId, platform);
    const sequence = channel.last_sequence + 1;
    hand.channels.put({ ...channel, last_sequence: sequence });
    const project = hand.projects.get(projectId);
    const gated = project !== undefined && project.paused_until > acceptedAt;
    hand.publications.put({
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
      not_before: gated ? project.paused_until : 0,
      gate_event: gated ? project.pause_event : null,
      state: 'queued',
      attempt: 0,
      retry_at: 0,
      retry_rule: null,
      retry_event: null,
    });
    touch(hand, channelId);
  }
};

/** A project's pause was set, extended or lifted: the posts that it holds move along; earlier ones go on. */
const moveGate = async (
  event: RecordedEvent<ProjectPauseEvent>,
  until: number,
  at: number,
  hand: InHand,
): Promise<void> => {
  const { projectId } = event.data;
  hand.projects.put({ project_id: projectId, paused_until: until, pause_event: event.id });
  await flush(hand);
  const moved = await hand.tx.query<{ publication_id: string; channel_id: string }>(
    `update publication set not_before = $2, gate_event = $3
     where project_id = $1 and waits and state = 'queued' and not_before > 0 and not_before > $4
     returning publication_id, channel_id`,
    [projectId, until === 0 ? at : until, event.id, at],
  );
  await changedBehindOurBack(moved.rows, hand);
};

/** What waits for a post of the month may have one now (D-46): whoever publishes finds out. */
const releaseHeld = async (
  event: RecordedEvent<Extract<OwnerEvent, { type: 'PostPackAdded' | 'OwnerPlanChanged' }>>,
  hand: InHand,
): Promise<void> => {
  const { ownerId } = event.data;
  hand.owners.put({ owner_id: ownerId, revision: String(event.revision) });
  await flush(hand);
  const held = await hand.tx.query<{ publication_id: string; channel_id: string }>(
    `update publication set retry_at = 0, retry_rule = null, retry_event = null
     where owner_id = $1 and retry_rule = 'quota' returning publication_id, channel_id`,
    [ownerId],
  );
  await changedBehindOurBack(held.rows, hand);
};

/** Takes up rows that a statement has changed. */
const changedBehindOurBack = async (
  rows: readonly { readonly publication_id: string; readonly channel_id: string }[],
  hand: InHand,
): Promise<void> => {
  const ids = rows.map(({ publication_id }) => publication_id);
  hand.publications.forget(ids);
  await hand.publications.also(ids);
  for (const { channel_id } of rows) touch(hand, channel_id);
};

const touch = (hand: InHand, channelId: string): void => void hand.touched.add(channelId);

const flush = async ({ publications, channels, projects, owners }: InHand): Promise<void> => {
  await owners.flush();
  await projects.flush();
  await channels.flush();
  await publications.flush();
};

/**
 * When each channel may go next. Its head is the first waiting row that no project's pause holds back; a row that is
 * held takes the lead if it stands before the head and its gate opens. A head that is being published counts as due at
 * once: the lease keeps others away, and once that is gone somebody must look after it.
 */
const findNextDue = async ({ tx, channels, touched }: InHand, now: number, minuteMs: number): Promise<void> => {
  if (touched.size === 0) return;
  const { rows } = await tx.query<{ channel_id: string; next_due: bigint | null }>({
    name: 'find next due',
    text: `
      update channel c set next_due = due.at
      from channel k
      left join lateral (
        select sequence, state, attempt, retry_at, accepted_at, not_before from publication p
        where p.channel_id = k.channel_id and p.waits and p.not_before <= $2
        order by p.sequence limit 1) head on true
      left join lateral (
        select not_before from publication p
        where p.channel_id = k.channel_id and p.waits and p.state = 'queued' and p.not_before > $2
          and p.sequence < coalesce(head.sequence, 9223372036854775807)
        order by p.not_before limit 1) held on true
      cross join lateral (select
        case when not k.enabled then null else least(
          case when head.state = 'publishing' then 0
               when head.state = 'queued' then greatest(head.retry_at, k.paused_until, k.attention_until,
                 case when head.attempt = 0 and (head.accepted_at < k.pause_end or head.not_before > 0)
                      then k.last_backlog_at + $3 else 0 end)
          end,
          case when held.not_before is not null
               then greatest(held.not_before, k.paused_until, k.attention_until, k.last_backlog_at + $3) end) end as at) due
      where k.channel_id = any($1) and c.channel_id = k.channel_id and c.next_due is distinct from due.at
      returning c.channel_id, c.next_due`,
    values: [[...touched], now, minuteMs],
  });
  for (const { channel_id, next_due } of rows)
    channels.note(channel_id, { next_due: next_due === null ? null : Number(next_due) });
};

const publicationIdOf = ({ type, data }: Known): string[] =>
  type.startsWith('Publication') ? [(data as { publicationId: string }).publicationId] : [];

const channelIdsOf = ({ type, data }: Known): string[] => {
  if (type === 'PostAccepted') return data.targets.map(({ channelId }) => channelId);
  return 'channelId' in data ? [data.channelId] : [];
};

const projectIdsOf = ({ type, data }: Known): string[] => {
  if (type === 'PostAccepted') return data.targets.map(({ projectId }) => projectId);
  return 'projectId' in data ? [data.projectId] : [];
};

const ownerIdsOf = ({ type, data }: Known): string[] =>
  type === 'PublicationHeld' || type === 'PostPackAdded' || type === 'OwnerPlanChanged' ? [data.ownerId] : [];
